import { expect, test } from "vitest";
import { codeLines, figuresOf, functionLengths } from "./source-figures.ts";

const SOURCE = `/** Says hello,
 * twice. */
export function hello(name: string): string {
  // Not a function:
  if (name === "") {
    return "nobody";
  }
  return [1, 2].map((index) => {
    return \`\${index} \${name as string}\`;
  }).join();
}

export interface Greeter {
  greet(name: string): void;
  leave(): void;
}
`;

test("counts code without comments and blank lines", () => {
  expect(codeLines(SOURCE)).toHaveLength(12);
});

test("measures functions, and nothing else that has a body", () => {
  expect(functionLengths(SOURCE)).toEqual([9, 3]);
});

test("keeps tests apart from the source", () => {
  const files = [
    { path: "packages/a/src/hello.ts", text: SOURCE },
    { path: "packages/a/src/hello.test.ts", text: "test();\n".repeat(24) },
  ];
  expect(figuresOf(files)).toMatchObject({
    files: 1,
    code: 12,
    functionLines: { median: 3, p95: 3, max: 9 },
    longFunctions: 0,
    largestPort: 2,
    comments: 20,
    testRatio: 2,
    casts: 83.3,
    anys: 0,
    plainErrors: 0,
  });
});

test("counts the share of plain errors among all errors", () => {
  const text = "throw new Error(a);\nthrow new RangeError(b);\nthrow new NpmError(c);\n";
  expect(figuresOf([{ path: "packages/a/src/a.ts", text }]).plainErrors).toBe(33);
});
