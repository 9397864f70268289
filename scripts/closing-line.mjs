// A reporter of Node's test runner: one closing line, and exit code 1 if no test was executed. A skipped group counts as one.
import { resolve } from 'node:path';

export default async function* closingLine(events) {
  let executed = 0;
  let skipped = 0;
  for await (const { type, data } of events) {
    if (type === 'test:pass' || type === 'test:fail') {
      // Node also reports a file without tests as a test by the name of the file.
      const isFile = data.file !== undefined && resolve(data.name) === data.file;
      if (data.skip !== undefined) skipped++;
      else if (data.details.type !== 'suite' && !isFile) executed++;
    } else if (type === 'test:summary' && data.file === undefined) {
      const { passed, failed, cancelled } = data.counts;
      const seconds = (data.duration_ms / 1000).toFixed(1);
      if (executed === 0) process.exitCode = 1;
      yield executed === 0
        ? 'FAILED: no test was executed\n'
        : `${data.success ? 'PASSED' : 'FAILED'}: ${passed} passed, ${failed + cancelled} failed, ${skipped} skipped, ${seconds} s\n`;
    }
  }
}
