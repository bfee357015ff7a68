import { randomUUID } from "node:crypto";
import type { NpmTeamsParts } from "@sealhouse/npm-protocol/testing";
import type { TestParts } from "./open-test-parts.ts";
import { ownerRows } from "./owner-rows.ts";

const by = { actor: "contract" };

/** The parts of the contract of npm's teams. */
export function npmTeamsOf({
  changes,
  database: { npm, ownership },
}: Pick<TestParts, "changes" | "database">): NpmTeamsParts {
  const { addOwner, addMember } = ownerRows(changes);
  const ids = new Map<string, string>();
  return {
    recorder: npm.recorder,
    teams: npm.teams,
    async addTeam(name, users) {
      const teamId = randomUUID();
      ids.set(name, teamId);
      await addOwner({ id: teamId, kind: "team", handle: name });
      for (const handle of users) {
        const id = randomUUID();
        await addOwner({ id, kind: "user", handle });
        await addMember(teamId, id, "member");
      }
    },
    async makeManager(name, team) {
      const owner = { id: ids.get(team) ?? "", kind: "team", level: "manage" } as const;
      await ownership.ownerships.grant({ protocol: "npm", name }, owner, by);
    },
  };
}
