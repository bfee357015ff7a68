import assert from "node:assert/strict";
import type { NpmTeams } from "../owners/ports.ts";
import { alice, newVersion } from "./contract-fixtures.ts";
import type { NpmCatalog } from "./contract-fixtures.ts";

/** Teams with the packages that they may have rights on. */
export type NpmTeamsParts = Pick<NpmCatalog, "recorder"> & {
  readonly teams: NpmTeams;
  /** Adds a team of new users. */
  readonly addTeam: (name: string, users: readonly string[]) => Promise<void>;
  /** Makes a team the only owner of a package that may change its owners. */
  readonly makeManager: (name: string, team: string) => Promise<void>;
};

/** One case of `npmTeamsContract`. */
export type NpmTeamsTest = {
  readonly name: string;
  readonly run: (parts: NpmTeamsParts) => Promise<void>;
};

/** The contract of `NpmTeams`. */
export const npmTeamsContract: readonly NpmTeamsTest[] = [
  {
    name: "lists the teams with rights on packages of a scope",
    async run(parts) {
      const { teams } = parts;
      await parts.addTeam("web", ["bob", "ada"]);
      await parts.addTeam("api", []);
      await publish(parts, "@acme/demo", "@acme/more", "@acmes/demo", "plain");
      const grants = [
        ["@acme/demo", "web", "read-only"],
        ["@acme/demo", "web", "read-write"],
        ["@acme/more", "web", "read-only"],
        ["@acme/more", "api", "read-only"],
        ["@acmes/demo", "web", "read-write"],
      ] as const;
      for (const [name, team, permission] of grants) {
        assert.equal(await teams.setPermission(name, { team, permission }, alice), "set");
      }
      const more = ["@acme/more", "read-only"] as const;
      assert.deepEqual(await teams.ofScope("@acme"), [
        { name: "api", members: [], packages: new Map([more]) },
        {
          name: "web",
          members: ["ada", "bob"],
          packages: new Map([["@acme/demo", "read-write"] as const, more]),
        },
      ]);
      assert.deepEqual(await teams.ofScope("@unknown"), []);
    },
  },
  {
    name: "takes a right away, also twice",
    async run(parts) {
      const { teams } = parts;
      await parts.addTeam("web", []);
      await publish(parts, "@acme/demo");
      const change = { team: "web", permission: "read-write" } as const;
      await teams.setPermission("@acme/demo", change, alice);
      const none = { team: "web", permission: undefined };
      for (const _ of [1, 2]) {
        assert.equal(await teams.setPermission("@acme/demo", none, alice), "set");
      }
      assert.deepEqual(await teams.ofScope("@acme"), []);
    },
  },
  {
    name: "changes nothing for an unknown team or package, or a user",
    async run(parts) {
      const { teams } = parts;
      await parts.addTeam("web", ["ada"]);
      await publish(parts, "@acme/demo");
      const unknown = [
        ["@acme/demo", "unknown"],
        ["@acme/demo", "ada"],
        ["@acme/unknown", "web"],
      ] as const;
      for (const [name, team] of unknown) {
        const change = { team, permission: "read-write" } as const;
        assert.equal(await teams.setPermission(name, change, alice), "absent", `${team} ${name}`);
      }
      assert.deepEqual(await teams.ofScope("@acme"), []);
    },
  },
  {
    name: "keeps the last owner that may change owners",
    async run(parts) {
      const { teams } = parts;
      await parts.addTeam("web", []);
      await parts.addTeam("api", []);
      await publish(parts, "@acme/demo");
      await parts.makeManager("@acme/demo", "web");
      for (const permission of ["read-write", "read-only", undefined] as const) {
        const change = { team: "web", permission };
        assert.equal(await teams.setPermission("@acme/demo", change, alice), "last");
      }
      const other = { team: "api", permission: "read-write" } as const;
      assert.equal(await teams.setPermission("@acme/demo", other, alice), "set");
      const rights = (await teams.ofScope("@acme")).map(({ name, packages }) => [
        name,
        packages.get("@acme/demo"),
      ]);
      assert.deepEqual(rights, [
        ["api", "read-write"],
        ["web", "read-write"],
      ]);
    },
  },
];

async function publish({ recorder }: NpmTeamsParts, ...names: readonly string[]): Promise<void> {
  for (const name of names) await recorder.publish(newVersion({ name }), alice);
}
