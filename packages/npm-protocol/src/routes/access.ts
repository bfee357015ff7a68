import { NpmError } from "../errors.ts";
import type { OwnedPackage } from "../owners/ports.ts";
import type { PackageName } from "../package-name.ts";
import type { Call } from "./call.ts";
import { authorizeCall, authorizeNamed, isRead, json, methodUnknown, notFound } from "./call.ts";
import { readObject } from "./json-body.ts";
import { requirePackage } from "./revision.ts";

/** `/-/package/{package}/collaborators`: what `npm access list collaborators` shows. */
export async function listCollaborators(call: Call, name: PackageName): Promise<Response> {
  requireRead(call);
  const { maintainers = [] } = await requirePackage(call, name, "read");
  return json(
    call,
    Object.fromEntries(maintainers.map((maintainer) => [maintainer.name, "read-write"])),
  );
}

/**
 * `/-/package/{package}/visibility`. npm creates provenance by default for public packages only, so
 * this returns the effective visibility.
 */
export async function printVisibility(call: Call, name: PackageName): Promise<Response> {
  requireRead(call);
  await requirePackage(call, name, "read");
  return json(call, { public: await isPublic(call, name) });
}

/** `/-/package/{package}/access`: pnpm asks by GET, npm and pnpm change it by POST. */
export async function answerAccess(call: Call, name: PackageName): Promise<Response> {
  if (isRead(call.c.req.method)) return printAccess(call, name);
  if (call.c.req.method !== "POST") throw methodUnknown(call.c, "GET, POST");
  return setAccess(call, name);
}

async function printAccess(call: Call, name: PackageName): Promise<Response> {
  await requirePackage(call, name, "read");
  const access = (await isPublic(call, name)) ? "public" : "restricted";
  return json(call, { access, publish_requires_tfa: false });
}

/** Whether anonymous callers may read the package. */
async function isPublic({ ports, settings }: Call, name: PackageName): Promise<boolean> {
  return settings.anonymousRead && !(await ports.owners.isPrivate(name));
}

/** Makes a package private or public, and explains refusals. */
async function setAccess(call: Call, name: PackageName): Promise<Response> {
  const caller = await authorizeNamed(call, { action: "manage", name });
  const { access, publish_requires_tfa: secondFactor } = await readObject(call);
  if (secondFactor !== undefined && secondFactor !== false) {
    throw new NpmError(
      "forbidden",
      "This registry cannot ask for a second factor with each publish: keep tokens short-lived " +
        "and narrow instead.",
    );
  }
  if (access === undefined) return json(call, {});
  if (access !== "public" && access !== "restricted") {
    throw new NpmError("document-invalid", "The access of a package is public or restricted.");
  }
  const mayBecomePublic = call.settings.anonymousRead || (await call.ports.owners.isPrivate(name));
  if (access === "public" && !mayBecomePublic) throw closedReading();
  const outcome = await call.ports.owners.setAccess(name, access, caller);
  if (outcome === "absent") throw notFound();
  return json(call, {});
}

function closedReading(): NpmError {
  const why = "This registry requires a token for reading, so no package can be public.";
  return new NpmError("forbidden", `${why} Its operator decides that for the whole registry.`);
}

/** `/-/user/{name}/package`: packages of a maintainer. */
export async function listPackagesOf(call: Call, maintainer: string): Promise<Response> {
  requireRead(call);
  await authorizeCall(call, { action: "read" });
  return json(call, await rightsOver(call, await readable(call, { maintainer })));
}

/** `/-/_view/starredByUser`: stars are taken and not kept. */
export async function listStars(call: Call): Promise<Response> {
  await authorizeCall(call, { action: "read" });
  return json(call, { rows: [] });
}

/** Packages that the caller may read. */
export async function readable(
  call: Call,
  of: Parameters<Call["ports"]["owners"]["packages"]>[0],
): Promise<readonly OwnedPackage[]> {
  const packages = await call.ports.owners.packages(of);
  const isReadable = await Promise.all(packages.map(({ name }) => may(call, "read", name)));
  return packages.filter((_, index) => isReadable[index]);
}

/** In the words of the protocol: `write` means both. */
export async function rightsOver(call: Call, packages: readonly OwnedPackage[]) {
  const rights = await Promise.all(
    packages.map(async ({ name }) => {
      const right = (await may(call, "write", name)) ? "write" : "read";
      return [name, right] as const;
    }),
  );
  return Object.fromEntries(rights);
}

async function may({ c, ports }: Call, action: "read" | "write", name: string): Promise<boolean> {
  return (await ports.authorize(c.req.raw, c.env, { action, name })).status === "granted";
}

function requireRead({ c }: Call): void {
  if (!isRead(c.req.method)) throw methodUnknown(c, "GET");
}
