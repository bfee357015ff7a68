import { expect, test } from "vitest";
import type * as errorModule from "../errors.ts";
import { SigningError, TimestampError } from "../errors.ts";
import type * as modeModule from "./signing-mode.ts";
import { ModeSettingError } from "./signing-mode.ts";

// An extension may be installed with a second copy of this package.
async function copyOf<Module>(path: string): Promise<Module> {
  return (await import(/* @vite-ignore */ new URL(`${path}?copy`, import.meta.url).href)) as Module;
}

test("an error of another copy of this package is known for what it is", async () => {
  const errors = await copyOf<typeof errorModule>("../errors.ts");
  const mode = await copyOf<typeof modeModule>("./signing-mode.ts");
  expect(errors.SigningError).not.toBe(SigningError);
  const signing: unknown = new errors.SigningError("signer", "no");
  expect(signing instanceof SigningError).toBe(true);
  expect(signing instanceof TimestampError).toBe(false);
  expect(signing instanceof ModeSettingError).toBe(false);
  const setting: unknown = new mode.ModeSettingError("Signing__Vault__Key", "no");
  expect(setting instanceof ModeSettingError).toBe(true);
  expect(setting instanceof SigningError).toBe(false);
});

test("errors of this copy are known as ever", () => {
  const stamp: unknown = new TimestampError("timeout", "late");
  expect(stamp instanceof TimestampError).toBe(true);
  expect(stamp instanceof SigningError).toBe(true);
  expect(new Error("no") instanceof SigningError).toBe(false);
  expect(new SigningError("signer", "no") instanceof TimestampError).toBe(false);
});
