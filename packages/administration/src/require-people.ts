import type { Person, ServiceAccount, Team, TextProblem } from "@sealhouse/identity";
import type { AdministrationRows } from "./parts.ts";
import { absent, invalidField, RefusedActionError } from "./refusal.ts";

/** @throws RefusedActionError */
export async function requireUser(
  { people }: { readonly people: Pick<AdministrationRows["people"], "find"> },
  handle: string,
): Promise<Person> {
  const person = await people.find(handle);
  if (!person) throw absent(`There is no user "${handle}": sealhouse user list`);
  return person;
}

/** @throws RefusedActionError */
export async function requireTeam(
  { teams }: { readonly teams: Pick<AdministrationRows["teams"], "find"> },
  handle: string,
): Promise<Team> {
  const team = await teams.find(handle);
  if (!team) throw absent(`There is no team "${handle}": sealhouse team list`);
  return team;
}

/** @throws RefusedActionError */
export async function requireAccount(
  {
    serviceAccounts,
  }: {
    readonly serviceAccounts: Pick<AdministrationRows["serviceAccounts"], "find">;
  },
  name: string,
): Promise<ServiceAccount> {
  const account = await serviceAccounts.find(name);
  if (!account) throw absent(`There is no service account "${name}": sealhouse account list`);
  return account;
}

/** The refusal of the first text with a problem. The words name what was typed. */
export function refusedText<Field extends string>(
  status: "invalid" | "taken",
  problems: readonly TextProblem<Field>[],
  texts: Readonly<Partial<Record<Field, string | undefined>>>,
): RefusedActionError {
  const [{ name, words } = { name: "", words: "is not valid" }] = problems;
  const typed = texts[name as Field] ?? "";
  const shown = words.startsWith("must ") ? `${words}.` : `"${typed}" ${words}.`;
  if (status === "invalid") return invalidField(name, shown);
  return new RefusedActionError("exists", shown, [{ field: name, words: shown }]);
}
