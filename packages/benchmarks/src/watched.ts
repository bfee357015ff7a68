/** The longest time between two turns of the event loop. */
export type HoldUp = { readonly cpuMs: number; readonly wallMs: number };

/**
 * Measures the longest stretch between two looks at the clock while `work` runs. A look is due
 * every millisecond. `cpuMs` is what this thread computed in between; on a busy machine `wallMs`
 * contains the work of other processes as well.
 */
export async function watched(work: () => Promise<unknown>): Promise<HoldUp> {
  let cpuMs = 0;
  let wallMs = 0;
  let last = { cpu: process.threadCpuUsage(), at: performance.now() };
  const look = () => {
    const { user, system } = process.threadCpuUsage(last.cpu);
    cpuMs = Math.max(cpuMs, (user + system) / 1000);
    wallMs = Math.max(wallMs, performance.now() - last.at);
    last = { cpu: process.threadCpuUsage(), at: performance.now() };
  };
  const timer = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return { cpuMs, wallMs };
}
