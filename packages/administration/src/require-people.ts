import type { Person, ServiceAccount, Team, TextProblem } from "@sealhouse/identity";
import type { AdministrationRows } from "./parts.ts";
import { absent, invalidFields, RefusedActionError } from "./refusal.ts";

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

/** The refusal of texts with problems. The words name what was typed. */
export function refusedText<Field extends string>(
  status: "invalid" | "taken",
  problems: readonly TextProblem<Field>[],
  texts: Readonly<Partial<Record<Field, string | undefined>>>,
): RefusedActionError {
  const refused = problems.map(({ name, words }) => ({
    field: name,
    words: words.startsWith("must ") ? `${words}.` : `"${texts[name] ?? ""}" ${words}.`,
  }));
  if (status === "invalid") return invalidFields(refused);
  return new RefusedActionError("exists", refused.map(({ words }) => words).join(" "), refused);
}
