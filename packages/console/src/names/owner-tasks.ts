import { LEVELS, OWNERS_OF_NAME_MAX, VISIBILITIES } from "@sealhouse/identity";
import type { FormValues } from "../kit/forms/form-fields.ts";
import { afterChange } from "../kit/forms/notices.ts";
import { managedPath, pathOfName } from "../kit/links/name-address.ts";
import { mayManage } from "./name-manager.ts";
import type { NameManager } from "./name-manager.ts";
import { managePage } from "./manage-page.ts";
import type { NameSources } from "./name-sources.ts";
import { expiredForm } from "./shown-form.ts";
import type { SentForm } from "../kit/forms/posted-form.ts";

/** Adds an owner, or sets its level. */
export async function addedOwner(
  sources: NameSources,
  manager: NameManager,
  { values, isExpired }: SentForm,
): Promise<Response> {
  if (isExpired) return managePage(sources, manager, expiredForm(values));
  const { key, caller } = manager;
  const refused = refusalWith(sources, manager, values);
  const level = LEVELS.find((known) => known === values.get("level"));
  if (!level) return refused("level", `is not one of ${LEVELS.join(", ")}`);
  const handle = values.get("handle")?.trim() ?? "";
  const owner = await sources.ownerships.find(handle);
  if (!owner) return refused("handle", unknownHandle(handle));
  const outcome = await sources.ownerships.grant(key, { ...owner, level }, caller);
  if (outcome === "last") return refused("level", lastOwner(manager));
  if (outcome === "full") {
    const words = `would be more than ${OWNERS_OF_NAME_MAX} owners: remove some, or add a team`;
    return refused("handle", words);
  }
  return afterOwners(sources, manager, outcome === "granted" ? "owner" : "unchanged");
}

/** Removes an owner, unless it is the last one that manages the name. */
export async function removedOwner(
  sources: NameSources,
  manager: NameManager,
  { values, isExpired }: SentForm,
): Promise<Response> {
  const { key, caller } = manager;
  if (isExpired) return afterTask(manager, "expired");
  const owner = (await sources.ownerships.list(key)).find(
    ({ handle }) => handle === values.get("handle"),
  );
  if (!owner) return afterTask(manager, "absent");
  const outcome = await sources.ownerships.revoke(key, owner.id, caller);
  if (outcome === "last") {
    return refusalWith(sources, manager, new URLSearchParams())("handle", lastOwner(manager));
  }
  return afterOwners(sources, manager, outcome === "revoked" ? "removed" : "absent");
}

/** Changes who sees a name. */
export async function changedVisibility(
  sources: NameSources,
  manager: NameManager,
  { values, isExpired }: SentForm,
): Promise<Response> {
  if (isExpired) return managePage(sources, manager, expiredForm(values));
  const refused = refusalWith(sources, manager, values);
  const visibility = VISIBILITIES.find((known) => known === values.get("visibility"));
  if (!visibility) return refused("visibility", `is not one of ${VISIBILITIES.join(", ")}`);
  const { key, caller: by } = manager;
  const outcome = await sources.visibilities.set(key.protocol, key.name, { visibility, by });
  if (outcome === "absent") {
    return refused("visibility", "is for names that exist; publish the first version before");
  }
  return afterTask(manager, outcome === "set" ? "visibility" : "unchanged");
}

/** Leads back to the page of the name. */
export function afterTask({ address, name }: NameManager, notice: string): Response {
  return afterChange(address, managedPath(name), notice);
}

/** A manager who gave the own right away no longer sees the page. */
async function afterOwners(
  sources: NameSources,
  manager: NameManager,
  notice: string,
): Promise<Response> {
  const { from, key, address, name } = manager;
  const verdict = await mayManage(sources, from, key);
  if (verdict.status === "granted") return afterTask(manager, notice);
  const headers = { location: pathOfName(address, name), "cache-control": "no-store" };
  return new Response(undefined, { status: 303, headers });
}

/** Shows the page again, with the problem of a field. */
export function refusalWith(sources: NameSources, manager: NameManager, values: FormValues) {
  return (name: string, words: string) =>
    managePage(sources, manager, { values, problems: [{ name, words }] });
}

export function unknownHandle(handle: string): string {
  return `must be the handle of a user or team, and ${JSON.stringify(handle)} is none`;
}

function lastOwner({ name }: NameManager): string {
  return (
    `would leave ${name.name} without an owner with the level manage: add another one before ` +
    "you remove the last"
  );
}
