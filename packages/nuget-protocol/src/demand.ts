import type { Context } from "hono";
import { NuGetError } from "./errors.ts";
import type { Action, Caller, NuGetPorts } from "./ports.ts";

export type Wanted = {
  readonly action: Action;
  readonly name?: string;
};

/**
 * The caller, when the request may do what it wants to.
 * @throws {NuGetError} `unauthorized`, `forbidden` or `limited`
 */
export async function demand(
  { authorize }: Pick<NuGetPorts, "authorize">,
  c: Context,
  wanted: Wanted,
): Promise<Caller> {
  const verdict = await authorize(c.req.raw, c.env, wanted);
  switch (verdict.status) {
    case "granted":
      return verdict.caller;
    case "anonymous":
      throw new NuGetError("unauthorized");
    case "denied":
      // On reading, a challenge lets clients ask for other credentials; on pushing it would make
      // them prompt for a password where a key is wrong.
      throw new NuGetError(wanted.action === "read" ? "unauthorized" : "forbidden", {
        problems: [verdict.reason],
      });
    case "limited":
      throw new NuGetError("limited", { retryAfterSeconds: verdict.retryAfterSeconds });
  }
}
