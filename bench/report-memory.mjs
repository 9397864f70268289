// Loaded before a server: at each SIGUSR2 it prints the resident memory after a full garbage collection.
//   node --expose-gc --import ./bench/report-memory.mjs ...
process.on('SIGUSR2', async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  console.log(JSON.stringify({ residentBytes: process.memoryUsage.rss() }));
});
