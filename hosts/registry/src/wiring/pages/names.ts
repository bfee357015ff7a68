import { randomUUID } from "node:crypto";
import type { RegistrySources } from "@sealhouse/console";
import type { PagesCore } from "./pages-core.ts";

/** Opens the changes of the pages of names, which are those of the commands. */
export function openNamePages({
  config,
  resources,
}: PagesCore): Omit<NonNullable<RegistrySources["names"]>, "forms" | "sessionOf"> {
  const { ownership, visibilities, policies, teams } = resources.database;
  const { ownerships, transfers } = ownership;
  return {
    ownerships,
    transfers,
    visibilities,
    policies,
    teams,
    trust: config.feed.trustedPublishing,
    newId: randomUUID,
  };
}
