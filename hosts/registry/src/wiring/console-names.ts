import { randomUUID } from "node:crypto";
import type { RegistrySources } from "@sealhouse/console";
import type { Database } from "@sealhouse/database";
import type { Config } from "../settings/config.ts";

type NamePageParts = {
  readonly config: Config;
  readonly database: Database;
};

/** Opens the changes of the pages of names, which are those of the commands. */
export function openNamePages({
  config,
  database,
}: NamePageParts): Omit<NonNullable<RegistrySources["names"]>, "forms" | "sessionOf"> {
  const { ownership, visibilities, policies, teams } = database;
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
