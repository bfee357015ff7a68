import type { Caller, PackageVerdict } from "@sealhouse/request-types";
import type { Context } from "hono";
import { NuGetError } from "./errors.ts";
import type { Action, NuGetPorts } from "./ports.ts";
import type { IdLimit } from "./search/id-limit.ts";

export type RequiredAccess = {
  readonly action: Action;
  readonly name?: string;
};

/**
 * The caller, when the request may do what it wants to.
 * @throws {NuGetError} `unauthorized`, `forbidden` or `limited`
 */
export async function requireAccess(
  ports: Pick<NuGetPorts, "authorize">,
  c: Context,
  access: RequiredAccess,
): Promise<Caller> {
  return (await granted(ports, c, access)).caller;
}

/**
 * For what lists packages: the ids that the caller may see.
 * @throws {NuGetError} `unauthorized`, `forbidden` or `limited`
 */
export async function requireList(
  ports: Pick<NuGetPorts, "authorize">,
  c: Context,
): Promise<IdLimit> {
  const { names } = await granted(ports, c, { action: "read" });
  return names ? { names } : {};
}

async function granted(
  { authorize }: Pick<NuGetPorts, "authorize">,
  c: Context,
  access: RequiredAccess,
): Promise<Extract<PackageVerdict, { readonly status: "granted" }>> {
  const verdict = await authorize(c.req.raw, c.env, access);
  switch (verdict.status) {
    case "granted":
      return verdict;
    case "anonymous":
      throw new NuGetError("unauthorized");
    case "denied":
      // On reading, a challenge lets clients ask for other credentials; on pushing it would make
      // them prompt for a password where a key is wrong.
      throw new NuGetError(access.action === "read" ? "unauthorized" : "forbidden", {
        problems: [verdict.reason],
      });
    case "limited":
      throw new NuGetError("limited", { retryAfterSeconds: verdict.retryAfterSeconds });
  }
}
