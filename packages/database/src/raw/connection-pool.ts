/** The functions that a pool needs for its connections, and its limits. */
export type PoolOptions<C> = {
  readonly open: () => Promise<C>;
  readonly close: (connection: C) => void;
  /** Whether the connection can execute something. */
  readonly isOpen: (connection: C) => boolean;
  readonly max: number;
  /** Milliseconds after which an unused connection is closed. */
  readonly idleMs: number;
  /** Milliseconds of waiting for a free connection. */
  readonly waitMs: number;
  readonly overloaded: () => Error;
};

type Waiting<C> = {
  readonly take: (connection: C) => void;
  readonly fail: (error: unknown) => void;
};

/** Connections for one user at a time each, for drivers without a pool. */
export class ConnectionPool<C extends object> {
  readonly #options: PoolOptions<C>;
  readonly #idle = new Map<C, NodeJS.Timeout>();
  readonly #waiting = new Set<Waiting<C>>();
  #size = 0;
  #ended: (() => void) | undefined;

  constructor(options: PoolOptions<C>) {
    this.#options = options;
  }

  /** Takes a free connection, or opens one, or waits. */
  async acquire(): Promise<C> {
    if (this.#ended) throw new Error("Pool is closed.");
    const connection = this.#takeIdle();
    if (connection) return connection;
    const { max, waitMs, overloaded } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<C>();
    const one: Waiting<C> = { take: resolve, fail: reject };
    const timer = setTimeout(() => {
      if (this.#waiting.delete(one)) reject(overloaded());
    }, waitMs);
    this.#waiting.add(one);
    if (this.#size < max) this.#openFor(one);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Returns a connection to the pool. */
  release(connection: C): void {
    if (this.#ended || !this.#options.isOpen(connection)) {
      this.destroy(connection);
      return;
    }
    const [next] = this.#waiting;
    if (!next) {
      this.#park(connection);
      return;
    }
    this.#waiting.delete(next);
    next.take(connection);
  }

  /** Closes a connection and frees its place. */
  destroy(connection: C): void {
    this.#options.close(connection);
    this.#forget();
  }

  /** Closes every connection after its current use. */
  async end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = resolve;
    for (const one of this.#waiting) one.fail(new Error("Pool is closed."));
    this.#waiting.clear();
    for (const [connection, timer] of this.#idle) {
      clearTimeout(timer);
      this.#options.close(connection);
      this.#size -= 1;
    }
    this.#idle.clear();
    if (this.#size === 0) resolve();
    await promise;
  }

  #openFor(one: Waiting<C>): void {
    this.#waiting.delete(one);
    this.#size += 1;
    this.#options.open().then(one.take, (error: unknown) => {
      this.#forget();
      one.fail(error);
    });
  }

  #park(connection: C): void {
    const timer = setTimeout(() => {
      this.#idle.delete(connection);
      this.destroy(connection);
    }, this.#options.idleMs);
    timer.unref();
    this.#idle.set(connection, timer);
  }

  /** The newest one, so that the others become old enough to close. */
  #takeIdle(): C | undefined {
    for (const [connection, timer] of [...this.#idle].toReversed()) {
      clearTimeout(timer);
      this.#idle.delete(connection);
      if (this.#options.isOpen(connection)) return connection;
      this.#forget();
    }
    return undefined;
  }

  #forget(): void {
    this.#size -= 1;
    if (this.#size === 0) this.#ended?.();
    const [next] = this.#waiting;
    if (next && this.#size < this.#options.max) this.#openFor(next);
  }
}
