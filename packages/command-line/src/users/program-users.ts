import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";
import type { AccountAddOptions } from "./account.ts";
import type { TeamAddOptions } from "./team.ts";
import type { UserAddOptions } from "./user.ts";

type Ended = (code: number) => void;

/** Users, teams and service accounts. */
export function addUsers(program: Program, command: Command, ended: Ended): void {
  addUserCommands(program, command, ended);
  addTeamCommands(program, command, ended);
  addAccountCommands(program, command, ended);
}

function addUserCommands(program: Program, command: Command, ended: Ended): void {
  const user = program.command("user").description("manage the people of the registry");
  const load = () => import("./user.ts");
  user
    .command("list")
    .description("list users with role, state and last sign-in")
    .option("--json", "print JSON")
    .action(async (options: Json) => ended(await (await load()).listUsers(command, options)));
  user
    .command("add <handle>")
    .description("add a user for tokens; people who sign in are added by their first sign-in")
    .option("--name <name>", "displayed name (default: the handle)")
    .option("--email <address>", "address for mail; it gives no access")
    .option("--role <role>", "consumer, publisher or administrator", "consumer")
    .option("--json", "print JSON")
    .action(async (handle: string, options: UserAddOptions) =>
      ended(await (await load()).addUser(command, handle, options)),
    );
  user
    .command("role <handle> <role>")
    .description("set a role by hand: consumer, publisher, administrator; or groups, which decide")
    .option("--json", "print JSON")
    .action(async (handle: string, role: string, options: Json) =>
      ended(await (await load()).setUserRole(command, handle, { ...options, role })),
    );
  user
    .command("forget-passkeys <handle>")
    .description("remove the passkeys of a user who has lost them")
    .action(async (handle: string) => ended(await (await load()).forgetPasskeys(command, handle)));
  const states = [
    ["approve", "give a new or suspended user access"],
    ["block", "end the sessions of a user at once, and the use of its tokens"],
    ["unblock", "end a block; a user who waited or left before still does"],
  ] as const;
  for (const [word, description] of states) {
    const state = user.command(`${word} <handle>`).description(description);
    if (word === "block") state.option("--reason <text>", "why, for administrators");
    state
      .option("--json", "print JSON")
      .action(async (handle: string, options: Json & { reason?: string }) => {
        const { setUserState } = await load();
        ended(await setUserState(command, handle, { ...options, action: word }));
      });
  }
}

function addTeamCommands(program: Program, command: Command, ended: Ended): void {
  const team = program.command("team").description("manage teams, which own names together");
  const load = () => import("./team.ts");
  team
    .command("add <handle>")
    .description("add a team")
    .option("--name <name>", "displayed name (default: the handle)")
    .option("--group <id>", "group of the identity provider whose members belong to the team")
    .option("--json", "print JSON")
    .action(async (handle: string, options: TeamAddOptions) =>
      ended(await (await load()).addTeam(command, handle, options)),
    );
  team
    .command("list")
    .description("list teams with their members")
    .option("--json", "print JSON")
    .action(async (options: Json) => ended(await (await load()).listTeams(command, options)));
  team
    .command("rename <handle> <name>")
    .description("change the displayed name of a team")
    .action(async (handle: string, name: string) =>
      ended(await (await load()).renameTeam(command, handle, name)),
    );
  team
    .command("group <handle> [id]")
    .description("change the group whose members belong to a team; without an id, no group")
    .action(async (handle: string, group: string | undefined) =>
      ended(await (await load()).setTeamGroup(command, handle, group)),
    );
  const member = team.command("member").description("manage the members of a team");
  member
    .command("add <team> <user>")
    .description("add a member, or change its level")
    .option("--level <level>", "member publishes, manager changes owners, too", "member")
    .action(async (handle: string, user: string, options: { level: string }) =>
      ended(await (await load()).addMember(command, { team: handle, user }, options)),
    );
  member
    .command("remove <team> <user>")
    .description("remove a member")
    .action(async (handle: string, user: string) =>
      ended(await (await load()).removeMember(command, { team: handle, user })),
    );
}

function addAccountCommands(program: Program, command: Command, ended: Ended): void {
  const account = program
    .command("account")
    .description("manage service accounts, such as build servers");
  const load = () => import("./account.ts");
  account
    .command("add <name>")
    .description("add a service account")
    .option("--team <handle>", "team through which it owns names")
    .option("--json", "print JSON")
    .action(async (name: string, options: AccountAddOptions) =>
      ended(await (await load()).addAccount(command, name, options)),
    );
  account
    .command("list")
    .description("list service accounts with state and team")
    .option("--json", "print JSON")
    .action(async (options: Json) => ended(await (await load()).listAccounts(command, options)));
  for (const [word, state, description] of [
    ["block", "blocked", "end the use of its tokens at once"],
    ["unblock", "active", "use its tokens again"],
  ] as const) {
    account
      .command(`${word} <name>`)
      .description(description)
      .option("--json", "print JSON")
      .action(async (name: string, options: Json) =>
        ended(await (await load()).setAccountState(command, name, { ...options, state })),
      );
  }
}
