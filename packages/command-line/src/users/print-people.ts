import { USER_ADVICE } from "@sealhouse/administration";
import type { ShownAccount, ShownMember, ShownTeam, ShownUser } from "@sealhouse/administration";
import { roleText, stateText, USER_ACTIONS } from "@sealhouse/identity";
import type { UserAction } from "@sealhouse/identity";
import { printOf } from "../actions/print.ts";
import { printableLine } from "../printable.ts";

/** Prints users. */
export const USER_PRINTS = {
  "users.add": printOf<ShownUser>({
    text: ({ handle }, { stderr }) => stderr(`Added the user ${handle}.`),
  }),
  "users.list": printOf<{ readonly items: readonly ShownUser[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("There are no users: sealhouse user add");
      for (const user of items) stdout(lineOfUser(user));
    },
  }),
  "users.show": printOf<ShownUser>({ text: (user, { stdout }) => stdout(lineOfUser(user)) }),
  "users.set-role": printOf<ShownUser>({
    text: (user, { stderr }) => stderr(roleText(user)),
  }),
  "users.set-state": printOf<ShownUser>({
    text(user, { stderr, input }) {
      const action = input["action"] as UserAction;
      const text = stateText(user, action);
      const isAsWanted = user.state === USER_ACTIONS[action].to;
      stderr(isAsWanted ? text : `${text} ${USER_ADVICE[user.state]}`);
    },
  }),
  "users.forget-passkeys": printOf<{ readonly handle: string; readonly removed: number }>({
    text: ({ handle, removed }, { stderr }) =>
      stderr(`${handle} has no passkeys now; removed: ${removed}.`),
  }),
};

function lineOfUser({ handle, role, state, displayName, email, lastSignInAt }: ShownUser): string {
  const use = lastSignInAt === undefined ? "never signed in" : `signed in ${lastSignInAt}`;
  const mail = email === undefined ? ["gets no mail: no usable address"] : [];
  return [handle, role, state, printableLine(displayName), use, ...mail].join("  ");
}

/** Prints teams. */
export const TEAM_PRINTS = {
  "teams.add": printOf<ShownTeam>({
    text: ({ handle }, { stderr }) =>
      stderr(`Added the team ${handle}. Add members: sealhouse team member add`),
  }),
  "teams.list": printOf<{ readonly items: readonly ShownTeam[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("There are no teams: sealhouse team add");
      for (const team of items) stdout(lineOfTeam(team));
    },
  }),
  "teams.show": printOf<ShownTeam>({ text: (team, { stdout }) => stdout(lineOfTeam(team)) }),
  "teams.rename": printOf<ShownTeam>({
    text: ({ handle, displayName }, { stderr }) =>
      stderr(`The team ${handle} has the name ${displayName}. Its handle stays.`),
  }),
  "teams.set-group": printOf<ShownTeam>({
    text: ({ handle, groupRef }, { stderr }) =>
      stderr(
        groupRef === undefined
          ? `The team ${handle} has no group. Its members by hand stay.`
          : `The team ${handle} has the group ${groupRef}. Its members by hand stay; others ` +
              "follow at their next sign-in or check.",
      ),
  }),
  "teams.set-member": printOf<ShownMember>({
    text: ({ team, user, level }, { stderr }) =>
      stderr(`${user} is a ${level} of the team ${team}.`),
  }),
  "teams.remove-member": printOf<Omit<ShownMember, "level">>({
    text: ({ team, user }, { stderr }) => stderr(`Removed ${user} from the team ${team}.`),
  }),
};

function lineOfTeam({ handle, displayName, groupRef, members }: ShownTeam): string {
  const handles = members.map((member) => `${member.handle} (${member.level})`);
  const group = groupRef === undefined ? [] : [`group ${printableLine(groupRef)}`];
  const list = handles.join(", ") || "no members";
  return [handle, printableLine(displayName), ...group, list].join("  ");
}

/** Prints service accounts. */
export const ACCOUNT_PRINTS = {
  "accounts.add": printOf<ShownAccount>({
    text({ name }, { stderr }) {
      stderr(`Added the service account ${name}.`);
      stderr(`To create its token: sealhouse token create --account ${name} --name <name>`);
    },
  }),
  "accounts.list": printOf<{ readonly items: readonly ShownAccount[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("There are no service accounts: sealhouse account add");
      for (const account of items) stdout(lineOfAccount(account));
    },
  }),
  "accounts.show": printOf<ShownAccount>({
    text: (account, { stdout }) => stdout(lineOfAccount(account)),
  }),
  "accounts.set-state": printOf<ShownAccount>({
    text: ({ name, state }, { stderr }) => stderr(`The service account ${name} is ${state}.`),
  }),
};

function lineOfAccount({ name, state, team }: ShownAccount): string {
  return [name, state, team === undefined ? "no team" : `team ${team}`].join("  ");
}
