import type { Caller, PackageVerdict } from "@sealhouse/request-types";
import type { Context } from "hono";
import { NuGetError } from "./errors.ts";
import type { ViewPorts } from "./hidden-ids.ts";
import { portsOfUnknown } from "./hidden-ids.ts";
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
 * Authorizes a request whose address names the package. Returns the caller and the ports for the
 * answer: for a hidden package, those that know nothing of it.
 * @throws {NuGetError} `unauthorized`, `forbidden` or `limited`
 */
export async function requireNamed(
  ports: ViewPorts,
  c: Context,
  access: RequiredAccess,
): Promise<{ readonly caller: Caller; readonly ports: NuGetPorts }> {
  const verdict = await ports.authorize(c.req.raw, c.env, access);
  if (verdict.status === "absent") return { caller: verdict.caller, ports: portsOfUnknown(ports) };
  return { caller: grantedIn(verdict, access).caller, ports };
}

/** The ports of `requireNamed` for a read. `name`: undefined for an invalid id. */
export async function portsForRead(
  ports: ViewPorts,
  c: Context,
  name: string | undefined,
): Promise<NuGetPorts> {
  const access = { action: "read", ...(name !== undefined && { name }) } as const;
  return (await requireNamed(ports, c, access)).ports;
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
