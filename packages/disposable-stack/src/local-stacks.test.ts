import { describe, expect, test } from "vitest";
import { AsyncDisposableStack, DisposableStack } from "./index.ts";
import { LocalAsyncDisposableStack, LocalDisposableStack } from "./local-stacks.ts";

// Each case runs with the runtime's class too, which is the specification.
describe.each([
  ["runtime", DisposableStack],
  ["local", LocalDisposableStack],
])("%s DisposableStack", (_name, Stack) => {
  test("disposes in reverse order, once", () => {
    const calls: string[] = [];
    const stack = new Stack();
    stack.use({ [Symbol.dispose]: () => void calls.push("used") });
    stack.adopt("adopted", (value) => void calls.push(value));
    stack.defer(() => void calls.push("deferred"));
    stack.use(undefined);
    stack.dispose();
    stack[Symbol.dispose]();
    expect(calls).toEqual(["deferred", "adopted", "used"]);
    expect(stack.disposed).toBe(true);
  });

  test("moves everything to a new stack", () => {
    const calls: string[] = [];
    const stack = new Stack();
    stack.defer(() => void calls.push("deferred"));
    const moved = stack.move();
    stack.dispose();
    expect([calls, stack.disposed, moved.disposed]).toEqual([[], true, false]);
    moved.dispose();
    expect(calls).toEqual(["deferred"]);
  });

  test("throws one error unchanged, several as a SuppressedError", () => {
    const [first, second] = [new Error("first"), new Error("second")];
    expect(failureOf(new Stack(), [first])).toBe(first);
    const both = failureOf(new Stack(), [first, second]);
    expect(both).toMatchObject({ name: "SuppressedError", error: first, suppressed: second });
  });

  test("refuses changes after disposal, and values that are not disposable", () => {
    const stack = new Stack();
    expect(() => stack.use({} as Disposable)).toThrow(TypeError);
    stack.dispose();
    expect(() => stack.defer(() => undefined)).toThrow(ReferenceError);
    expect(() => stack.move()).toThrow(ReferenceError);
  });
});

function failureOf(stack: DisposableStack, errors: readonly Error[]): unknown {
  for (const error of errors) {
    stack.defer(() => {
      throw error;
    });
  }
  try {
    stack.dispose();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each([
  ["runtime", AsyncDisposableStack],
  ["local", LocalAsyncDisposableStack],
])("%s AsyncDisposableStack", (_name, Stack) => {
  test("waits for each disposal before the next", async () => {
    const calls: string[] = [];
    const stack = new Stack();
    stack.use({ [Symbol.dispose]: () => void calls.push("disposable") });
    stack.use({
      async [Symbol.asyncDispose]() {
        await Promise.resolve();
        calls.push("async disposable");
      },
    });
    stack.adopt("adopted", async (value) => void calls.push(value));
    stack.use(null);
    const moved = stack.move();
    await stack.disposeAsync();
    expect(calls).toEqual([]);
    await moved[Symbol.asyncDispose]();
    await moved.disposeAsync();
    expect(calls).toEqual(["adopted", "async disposable", "disposable"]);
  });

  test("disposes everything although one fails", async () => {
    const calls: string[] = [];
    const stack = new Stack();
    stack.defer(() => void calls.push("last"));
    stack.defer(() => Promise.reject(new Error("rejected")));
    await expect(stack.disposeAsync()).rejects.toThrow("rejected");
    expect(calls).toEqual(["last"]);
    expect(() => stack.use(undefined)).toThrow(ReferenceError);
  });
});
