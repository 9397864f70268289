// Loaded before a server: at each SIGUSR2 it prints the processor time of the longest turn of the event loop since the last one.
//   node --import ./bench/report-turns.mjs ...
let longestMicros = 0;
let spent = process.threadCpuUsage();

/** Keeps the loop turning without a wait. Only the time that the thread computes counts, so other processes add nothing. */
function turn() {
  const now = process.threadCpuUsage();
  longestMicros = Math.max(longestMicros, now.user - spent.user + now.system - spent.system);
  spent = now;
  setImmediate(turn).unref();
}

setImmediate(turn);
process.on('SIGUSR2', () => {
  console.log(JSON.stringify({ longestTurnMs: longestMicros / 1000 }));
  longestMicros = 0;
});
