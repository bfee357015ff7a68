import { PROTOCOLS } from "@sealhouse/identity";
import type { OwnableName } from "@sealhouse/identity";
import { html } from "hono/html";
import type { PublicAddress } from "../page/public-address.ts";
import type { Html } from "../page/document.ts";
import type { From } from "../page/shown-page.ts";
import { repositoryPath } from "./image-address.ts";
import { npmPackagePath } from "./npm-address.ts";
import { packagePath } from "./nuget-address.ts";

/** Beginning of the paths of the pages that manage a name. */
export const MANAGED_NAMES = "/manage";

/** Something that the pages of a name do, and the last part of its path. */
export type NameTask =
  | "add-owner"
  | "remove-owner"
  | "visibility"
  | "new-pipeline"
  | "remove-pipeline"
  | "offer"
  | "withdraw";

/** A page of a name; without a task, the page that shows all. */
export type ManagedPath = { readonly name: OwnableName; readonly task?: string };

const LENGTH_MAX = 1_024;
/** No name of any protocol contains this part. */
const BEFORE_TASK = "/-/";

/** Parses the percent-encoded path below `MANAGED_NAMES`, such as `oci/team/app/-/offer`. */
export function parseManagedPath(rawPath: string): ManagedPath | undefined {
  const path = rawPath.length > LENGTH_MAX ? undefined : decoded(rawPath);
  const [, word, rest = ""] = /^([a-z]+)\/(.+)$/.exec(path ?? "") ?? [];
  const protocol = PROTOCOLS.find((known) => known === word);
  const [name = "", task, ...more] = rest.split(BEFORE_TASK);
  if (!protocol || name === "" || more.length > 0) return undefined;
  return { name: { protocol, name }, ...(task !== undefined && { task }) };
}

/** Returns the path of a page of a name, without the path of the registry. */
export function managedPath({ protocol, name }: OwnableName, task?: NameTask): string {
  const path = `${MANAGED_NAMES}/${protocol}/${encoded(name)}`;
  return task === undefined ? path : path + BEFORE_TASK + task;
}

/** Returns the path of the page that everyone with access to the name sees. */
export function pathOfName(address: PublicAddress, { protocol, name }: OwnableName): string {
  switch (protocol) {
    case "nuget":
      return packagePath(address, { id: name });
    case "npm":
      return npmPackagePath(address, { name });
    case "oci":
      return repositoryPath(address, name);
  }
}

function encoded(name: string): string {
  const parts = name.split("/").map((part) => encodeURIComponent(part.toWellFormed()));
  return parts.join("/").replaceAll("%40", "@");
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // not percent-encoding
  }
}

/** Whether the caller of a page may manage a name; undefined where no page manages names. */
export type ManagesName = (from: From, name: OwnableName) => Promise<boolean>;

/** Renders the link to the page that manages a name, for those who may. */
export function manageLink(
  isManaged: boolean | undefined,
  { root }: PublicAddress,
  name: OwnableName,
): Html | false {
  if (isManaged !== true) return false;
  const about = html`<span class="unseen"> ${name.name}</span>`;
  return html`<p><a class="button" href="${root}${managedPath(name)}">Manage${about}</a></p>`;
}
