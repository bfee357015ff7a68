import { expect, test } from "vitest";
import { createLending } from "./lending.ts";

test("few get much, many get little, and what was given back is lent again", () => {
  const borrow = createLending({ much: 10, little: 1, bytesMax: 25 });
  {
    using all = new DisposableStack();
    const bytes = Array.from({ length: 8 }, () => all.use(borrow()).bytes);
    expect(bytes).toEqual([10, 10, 1, 1, 1, 1, 1, 1]);
  }
  using loan = borrow();
  expect(loan.bytes).toBe(10);
});

test("a loan that is given back twice is given back once", () => {
  const borrow = createLending({ much: 10, little: 1, bytesMax: 20 });
  const loan = borrow();
  loan[Symbol.dispose]();
  loan[Symbol.dispose]();
  using all = new DisposableStack();
  const bytes = Array.from({ length: 3 }, () => all.use(borrow()).bytes);
  expect(bytes).toEqual([10, 10, 1]);
});
