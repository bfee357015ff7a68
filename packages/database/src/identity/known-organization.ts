import { sql } from "#kysely";
import type { KnownOrganization } from "@sealhouse/identity";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const LENGTH = 255;
const READ = defineStatement("known-organization", {}, (db) =>
  db.selectFrom("registry_identity").where("id", "=", sql.lit(1)).select("known_organization"),
);
const SET = defineStatement(
  "known-organization-set",
  { text: param.text(LENGTH) },
  (db, { text }) =>
    db
      .updateTable("registry_identity")
      .set({ known_organization: text })
      .where("id", "=", sql.lit(1)),
);

/** Keeps the id of one organization. */
export function createKnownOrganization(queries: Queries): KnownOrganization {
  return {
    async find(url) {
      const text = (await queries.one(READ, {}))?.known_organization ?? "";
      return text.startsWith(`${url} `) ? Number(text.slice(url.length + 1)) : undefined;
    },
    async keep(url, id) {
      const text = `${url} ${id}`;
      if (text.length <= LENGTH) await queries.run(SET, { text });
    },
  };
}
