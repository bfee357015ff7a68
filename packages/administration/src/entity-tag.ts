import { createHash } from "node:crypto";
import type { Action } from "./action.ts";

/** The entity tag of an output; fields that change by themselves do not count. */
export function entityTagOf({ volatile = [] }: Pick<Action, "volatile">, output: unknown): string {
  const stable = JSON.stringify(output, (name, value: unknown) =>
    volatile.includes(name) ? undefined : value,
  );
  return `"${createHash("sha256").update(stable).digest("base64url").slice(0, 22)}"`;
}
