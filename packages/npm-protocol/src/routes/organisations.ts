import { NpmError } from "../errors.ts";
import type { NpmTeam, OwnedPackage, TeamPermission } from "../owners/ports.ts";
import { readable, rightsOver } from "./access.ts";
import type { Call } from "./call.ts";
import { authorizeCall, authorizeNamed, isRead, json, notFound } from "./call.ts";
import { readObject } from "./json-body.ts";
import { ownerRequired, tooManyOwners } from "./owners.ts";

/** The team of all members, as on the public registry. */
const EVERYBODY = "developers";

/**
 * `/-/org/{scope}/…` and `/-/team/{scope}/{team}/…`: an organisation is a scope, its members are
 * the maintainers of its packages, and its teams are those with rights on its packages.
 */
export async function answerOrganisation(
  call: Call,
  segments: readonly string[],
): Promise<Response> {
  const [kind, organisation = "", ...rest] = segments;
  const scope = `@${organisation.replace(/^@/, "")}`;
  if (!isRead(call.c.req.method)) return changeTeam(call, { kind, scope, rest });
  await authorizeCall(call, { action: "read" });
  const what = kind === "org" ? rest[0] : rest.slice(1).join("/");
  const packages = await readable(call, { scope });
  if (packages.length === 0) throw notFound(`No package here has the scope ${scope}.`);
  const allTeams = (await call.ports.teams?.ofScope(scope)) ?? [];
  // Teams of hidden packages are hidden, too.
  const teams = allTeams.filter((team) => packages.some(({ name }) => team.packages.has(name)));
  if (kind === "team") return answerTeam(call, { packages, teams, name: rest[0], what });
  switch (rest.length === 1 ? what : undefined) {
    case "package":
      return json(call, await rightsOver(call, packages));
    case "team": {
      const names = [EVERYBODY, ...teams.map(({ name }) => name)];
      return json(
        call,
        names.map((name) => `${organisation}:${name}`),
      );
    }
    case "user":
      return json(call, Object.fromEntries(membersOf(packages).map((name) => [name, "developer"])));
    default:
      throw notFound();
  }
}

type TeamQuery = {
  readonly packages: readonly OwnedPackage[];
  readonly teams: readonly NpmTeam[];
  readonly name: string | undefined;
  readonly what: string | undefined;
};

async function answerTeam(
  call: Call,
  { packages, teams, name, what }: TeamQuery,
): Promise<Response> {
  const team = teams.find((candidate) => candidate.name === name);
  if (!team && name !== EVERYBODY) throw notFound(`There is no team ${name} here.`);
  switch (what) {
    case "user":
      return json(call, team?.members ?? membersOf(packages));
    case "package": {
      if (!team) return json(call, await rightsOver(call, packages));
      const shown = packages.filter((owned) => team.packages.has(owned.name));
      const rights = shown.map((owned) => {
        const isWriter = team.packages.get(owned.name) === "read-write";
        return [owned.name, isWriter ? "write" : "read"] as const;
      });
      return json(call, Object.fromEntries(rights));
    }
    default:
      throw notFound();
  }
}

type TeamChange = {
  readonly kind: string | undefined;
  readonly scope: string;
  readonly rest: readonly string[];
};

/** `npm access grant` and `npm access revoke`; members of teams are changed elsewhere. */
async function changeTeam(call: Call, { kind, scope, rest }: TeamChange): Promise<Response> {
  const { c, ports } = call;
  const [team = "", what] = rest;
  const { method } = c.req;
  const isRight = kind === "team" && what === "package" && rest.length === 2;
  const isChange = isRight && team !== EVERYBODY;
  await authorizeCall(call, { action: "write" });
  if (!ports.teams || !isChange || (method !== "PUT" && method !== "DELETE")) {
    throw rightsElsewhere();
  }
  const { package: name, permissions } = await readObject(call);
  if (typeof name !== "string" || !name.startsWith(`${scope}/`)) {
    throw new NpmError("document-invalid", `The package must have the scope ${scope}.`);
  }
  const permission = method === "DELETE" ? undefined : permissionIn(permissions);
  const caller = await authorizeNamed(call, { action: "manage", name });
  const outcome = await ports.teams.setPermission(name, { team, permission }, caller);
  if (outcome === "absent") throw notFound(`There is no team ${team} or no package ${name} here.`);
  if (outcome === "last") throw ownerRequired(name);
  if (outcome === "full") throw tooManyOwners(name);
  return json(call, {});
}

function permissionIn(value: unknown): TeamPermission {
  if (value === "read-only" || value === "read-write") return value;
  throw new NpmError("document-invalid", "A permission is read-only or read-write.");
}

function membersOf(packages: readonly OwnedPackage[]): readonly string[] {
  const names = packages.flatMap(({ maintainers }) => maintainers.map(({ name }) => name));
  return [...new Set(names)].toSorted();
}

function rightsElsewhere(): NpmError {
  return new NpmError(
    "forbidden",
    "Members of teams and organisations are not changed with npm. An administrator changes teams " +
      "with `sealhouse team`, and the rights of a token with `sealhouse token create`.",
  );
}
