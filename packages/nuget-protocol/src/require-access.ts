import type { Caller, PackageVerdict } from "@sealhouse/request-types";
import type { Context } from "hono";
import { NuGetError } from "./errors.ts";
import type { Action, NuGetPorts } from "./ports.ts";
import { idLimitOf } from "./search/id-limit.ts";
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
 * Whether the caller may know of a package. A hidden package is answered as an unknown one.
 * @throws {NuGetError} `unauthorized`, `forbidden` or `limited`
 */
export async function isVisible(
  { authorize }: Pick<NuGetPorts, "authorize">,
  c: Context,
  name: string,
): Promise<boolean> {
  const access = { action: "read", name } as const;
  const verdict = await authorize(c.req.raw, c.env, access);
  if (verdict.status === "absent") return false;
  grantedIn(verdict, access);
  return true;
}

/**
 * The caller of a change; undefined when the package is hidden from it: then answer as for an
 * unknown one.
 * @throws {NuGetError} `unauthorized`, `forbidden` or `limited`
 */
export async function requireChange(
  { authorize }: Pick<NuGetPorts, "authorize">,
  c: Context,
  access: RequiredAccess,
): Promise<Caller | undefined> {
  const verdict = await authorize(c.req.raw, c.env, access);
  return verdict.status === "absent" ? undefined : grantedIn(verdict, access).caller;
}

/**
 * For what lists packages: the ids that the caller may see.
 * @throws {NuGetError} `unauthorized`, `forbidden` or `limited`
 */
export async function requireList(
  ports: Pick<NuGetPorts, "authorize">,
  c: Context,
): Promise<IdLimit> {
  return idLimitOf(await granted(ports, c, { action: "read" }));
}

type GrantedVerdict = Extract<PackageVerdict, { readonly status: "granted" }>;

async function granted(
  { authorize }: Pick<NuGetPorts, "authorize">,
  c: Context,
  access: RequiredAccess,
): Promise<GrantedVerdict> {
  return grantedIn(await authorize(c.req.raw, c.env, access), access);
}

function grantedIn(verdict: PackageVerdict, access: RequiredAccess): GrantedVerdict {
  switch (verdict.status) {
    case "granted":
      return verdict;
    case "absent":
      throw new NuGetError("not-found");
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
