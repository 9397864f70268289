// What `npm test` leaves to `npm run test:all`: what few changes touch, and what takes most of the processor time.

const LEFT_OUT = [
  /^scripts\//,
  /^test\/[^/]+\.test\.ts$/,
  /^test\/(browsers|deploy|descriptions|faults)\//,
  // `npm test` has the way of a picture, and what a message with one reaches.
  /^src\/pictures\/(racing|reported-pictures|picture-limits)\.test\.ts$/,
  // A PostgreSQL of which a server is lost.
  /^src\/db\/postgres\/servers\.test\.ts$/,
  // `npm test` has the import of a file, its check of each line, and what a restore drops.
  /^src\/commands\/(import-kill|import-between|reports|restored)\.test\.ts$/,
  /^test\/journeys\/import\.test\.ts$/,
  // Nodes in processes of their own; `npm test` has three in one process, for the contract.
  /^test\/journeys\/(node-\w+|one-clock|update-from-before)\.test\.ts$/,
  // Half a minute and more each; `npm test` has a kill, a stop and each rule of a database that is away.
  /^test\/journeys\/(message-kill|picture-kill|erase-kill|mail-kill|changed-messages|lost-commits|database-outage|two-clients|start-errors)\.test\.ts$/,
  // `npm test` has what deletes, keeps and erases an account, one act after the other.
  /^src\/leaving\/\w+-races\.test\.ts$/,
];

/** Of these, what `npm test` runs: the documented first steps, and a way through each part of the page. */
export const SMOKE_TESTS = [
  'test/readme.test.ts',
  ...[
    'auth',
    'blocking',
    'chat',
    'conversations',
    'person',
    'pictures',
    'privacy',
    'push-journey-chromium',
    'registration',
    'say-hello',
    'sessions',
    'settings-appearance',
  ].map((name) => `test/browsers/${name}.test.ts`),
];

/** @param file its path from the root, with slashes */
export function isForEachChange(file: string): boolean {
  return SMOKE_TESTS.includes(file) || !LEFT_OUT.some((rule) => rule.test(file));
}
