/** Thrown into a task that crashes, and at everything that it tries afterwards. */
export class Crash extends Error {
  override name = "Crash";

  constructor(task: string) {
    super(`${task} crashed`);
  }
}

export type Task = {
  readonly name: string;
  readonly weight: number;
  /** Set while the task is at an await. */
  resume: ((crash: boolean) => void) | undefined;
  crashed: boolean;
};

/**
 * Runs one task at a time, each from one await to the next. A task calls `pause` before every step
 * that others may interleave with; nothing else decides the order, so the same picks give the same
 * run.
 */
export class Scheduler {
  /** Tasks that have not ended. */
  readonly tasks: Task[] = [];
  #running: Task | undefined;
  #settled: () => void = () => {};

  /** Starts a task and runs it to its first pause. `work` handles its own errors. */
  async spawn(name: string, weight: number, work: () => Promise<void>): Promise<void> {
    const task: Task = { name, weight, resume: undefined, crashed: false };
    this.tasks.push(task);
    await this.#run(task, () => {
      void work().finally(() => {
        this.tasks.splice(this.tasks.indexOf(task), 1);
        this.#settled();
      });
    });
  }

  /** Runs a task to its next pause, or lets it crash where it stands. */
  async step(task: Task, crash = false): Promise<void> {
    const { resume } = task;
    if (!resume) throw new Error(`${task.name} waits for something else than its turn`);
    task.resume = undefined;
    task.crashed = crash;
    await this.#run(task, () => resume(crash));
  }

  /** Lets others come in; nothing happens outside of tasks. */
  async pause(): Promise<void> {
    const task = this.#running;
    if (!task) return;
    if (task.crashed) throw new Crash(task.name);
    if (task.resume) throw new Error(`${task.name} stands at two places at once`);
    await new Promise<void>((resolve, reject) => {
      task.resume = (crash) => {
        if (crash) reject(new Crash(task.name));
        else resolve();
      };
      this.#settled();
    });
  }

  async #run(task: Task, start: () => void): Promise<void> {
    this.#running = task;
    await new Promise<void>((resolve) => {
      this.#settled = resolve;
      start();
    });
    this.#running = undefined;
  }
}

/** `port` with a pause before each of its calls, and `called` after it. */
export function paused<Port extends object>(
  port: Port,
  pause: () => Promise<void>,
  called: () => void = () => {},
): Port {
  const calls = Object.entries(port).map(([method, call]) => {
    const pausing = async (...args: readonly unknown[]) => {
      await pause();
      const result: unknown = await Reflect.apply(call, port, args);
      called();
      return result;
    };
    return [method, typeof call === "function" ? pausing : call] as const;
  });
  return { ...port, ...Object.fromEntries(calls) };
}
