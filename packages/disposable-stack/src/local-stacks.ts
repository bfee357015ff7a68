/** `DisposableStack` of ECMAScript's explicit resource management. */
export class LocalDisposableStack implements DisposableStack {
  readonly [Symbol.toStringTag] = "DisposableStack";
  #disposals: (() => void)[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  use<T extends Disposable | null | undefined>(value: T): T {
    this.#requireOpen();
    if (value === null || value === undefined) return value;
    const dispose = value[Symbol.dispose];
    if (typeof dispose !== "function") throw new TypeError("The value is not disposable.");
    this.#disposals.push(() => dispose.call(value));
    return value;
  }

  adopt<T>(value: T, onDispose: (value: T) => void): T {
    this.defer(() => onDispose(value));
    return value;
  }

  defer(onDispose: () => void): void {
    this.#requireOpen();
    this.#disposals.push(onDispose);
  }

  move(): DisposableStack {
    this.#requireOpen();
    const moved = new LocalDisposableStack();
    moved.#disposals = this.#disposals;
    this.#disposals = [];
    this.#disposed = true;
    return moved;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const failure = createFailure();
    for (const dispose of this.#disposals.splice(0).toReversed()) {
      try {
        dispose();
      } catch (error) {
        failure.add(error);
      }
    }
    failure.throwAny();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #requireOpen(): void {
    if (this.#disposed) throw new ReferenceError("Cannot use a disposed stack.");
  }
}

/** `AsyncDisposableStack` of ECMAScript's explicit resource management. */
export class LocalAsyncDisposableStack implements AsyncDisposableStack {
  readonly [Symbol.toStringTag] = "AsyncDisposableStack";
  #disposals: (() => unknown)[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    this.#requireOpen();
    if (value === null || value === undefined) return value;
    const dispose = disposalOf(value);
    if (typeof dispose !== "function") throw new TypeError("The value is not disposable.");
    this.#disposals.push(() => dispose.call(value));
    return value;
  }

  adopt<T>(value: T, onDispose: (value: T) => PromiseLike<void> | void): T {
    this.defer(() => onDispose(value));
    return value;
  }

  defer(onDispose: () => PromiseLike<void> | void): void {
    this.#requireOpen();
    this.#disposals.push(onDispose);
  }

  move(): AsyncDisposableStack {
    this.#requireOpen();
    const moved = new LocalAsyncDisposableStack();
    moved.#disposals = this.#disposals;
    this.#disposals = [];
    this.#disposed = true;
    return moved;
  }

  async disposeAsync(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const failure = createFailure();
    for (const dispose of this.#disposals.splice(0).toReversed()) {
      try {
        await dispose();
      } catch (error) {
        failure.add(error);
      }
    }
    failure.throwAny();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }

  #requireOpen(): void {
    if (this.#disposed) throw new ReferenceError("Cannot use a disposed stack.");
  }
}

function disposalOf(value: AsyncDisposable | Disposable): (() => unknown) | undefined {
  if (Symbol.asyncDispose in value) return value[Symbol.asyncDispose];
  return value[Symbol.dispose];
}

/** The errors of several disposals: a later one suppresses the ones before. */
function createFailure() {
  let failed: { readonly error: unknown } | undefined;
  return {
    add(error: unknown) {
      failed = { error: failed ? suppressedError(error, failed.error) : error };
    },
    throwAny() {
      if (failed) throw failed.error;
    },
  };
}

/** An error of a disposal that replaced an earlier error; contains both. */
export function suppressedError(error: unknown, suppressed: unknown): Error {
  const message = "An error was suppressed during disposal.";
  if ("SuppressedError" in globalThis) return new SuppressedError(error, suppressed, message);
  const both = Object.assign(new Error(message), { error, suppressed });
  both.name = "SuppressedError";
  return both;
}
