// Loaded before a server: at each SIGUSR2 the server does its hourly work.
//   node --import ./bench/run-hourly.mjs ...
const HOUR_MS = 60 * 60 * 1000;
const { setInterval } = globalThis;

globalThis.setInterval = (run, ms, ...rest) => {
  if (ms === HOUR_MS) process.on('SIGUSR2', run);
  return setInterval(run, ms, ...rest);
};
