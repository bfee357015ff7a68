import { expect, test } from "vitest";
import { isLicenseExpression } from "./license-expression.ts";

test.each([
  "MIT",
  "Apache-2.0+",
  "MIT OR Apache-2.0",
  "(MIT AND BSD-3-Clause) OR GPL-2.0-only WITH Classpath-exception-2.0",
  "((MIT))",
  "  MIT  ",
])("takes %j", (text) => expect(isLicenseExpression(text)).toBe(true));

test.each([
  "",
  "MIT OR",
  "OR MIT",
  "MIT Apache-2.0",
  "(MIT",
  "MIT)",
  "()",
  "MIT WITH",
  "MIT WITH (x)",
  "MIT WITH Classpath-exception-2.0+",
  "(MIT OR BSD) WITH Classpath",
  "MIT/Apache",
  "AND",
  "(".repeat(100_000),
  "(".repeat(40) + "MIT" + ")".repeat(40),
])("refuses %j", (text) => expect(isLicenseExpression(text)).toBe(false));
