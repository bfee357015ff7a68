import { LocalAsyncDisposableStack, LocalDisposableStack } from "./local-stacks.ts";

/** The runtime's `DisposableStack`, or an equal one where the runtime has none (Node 22). */
export const DisposableStack: DisposableStackConstructor =
  "DisposableStack" in globalThis ? globalThis.DisposableStack : LocalDisposableStack;
/** The runtime's `AsyncDisposableStack`, or an equal one where the runtime has none (Node 22). */
export const AsyncDisposableStack: AsyncDisposableStackConstructor =
  "AsyncDisposableStack" in globalThis
    ? globalThis.AsyncDisposableStack
    : LocalAsyncDisposableStack;

/** The type of the runtime's `DisposableStack`. */
export type DisposableStack = globalThis.DisposableStack;
/** The type of the runtime's `AsyncDisposableStack`. */
export type AsyncDisposableStack = globalThis.AsyncDisposableStack;
