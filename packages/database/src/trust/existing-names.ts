import type { PublishPolicy } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Unit } from "../transactions/unit-of-work.ts";

const NAME = { name: param.text(255) };

const STATEMENTS = {
  nuget: defineStatement("nuget-name-exists", NAME, (db, { name }) =>
    db.selectFrom("nuget_packages").select("id").where("lower_id", "=", name),
  ),
  npm: defineStatement("npm-name-exists", NAME, (db, { name }) =>
    db.selectFrom("npm_packages").select("id").where("name", "=", name),
  ),
  oci: defineStatement("oci-name-exists", NAME, (db, { name }) =>
    db.selectFrom("oci_repositories").select("id").where("name", "=", name),
  ),
} as const;

/** Whether a package or repository exists. */
export async function isName(
  { queries }: Pick<Unit, "queries">,
  protocol: Protocol,
  name: string,
): Promise<boolean> {
  const key = protocol === "nuget" ? name.toLowerCase() : name;
  return (await queries.one(STATEMENTS[protocol], { name: key })) !== undefined;
}

/** Whether any name of a policy exists; a pattern with `*` is not a name. */
export async function isAnyName(
  unit: Pick<Unit, "queries">,
  { protocols, patterns }: Pick<PublishPolicy, "protocols" | "patterns">,
): Promise<boolean> {
  for (const protocol of protocols) {
    for (const name of patterns.filter((pattern) => !pattern.includes("*"))) {
      if (await isName(unit, protocol, name)) return true;
    }
  }
  return false;
}
