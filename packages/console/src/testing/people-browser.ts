import { newArrival, newPerson } from "@sealhouse/identity/testing";
import { browserOf } from "./administration-browser.ts";
import { openExampleSessions } from "./example-sessions.ts";
import { openSignedIn } from "./signed-in-example.ts";

const HOME = "http://localhost:8080";
const BY = { actor: "test" };
const AT = new Date("2026-02-01T10:00:00Z");

type Registry = ReturnType<typeof openExampleSessions>["registry"];

/** Adds Grace, who waits for approval, Bob by hand, a team and a service account. */
export async function fillPeople({ people, teams, serviceAccounts }: Registry): Promise<void> {
  const grace = { subject: "2", shown: "grace@acme.example", displayName: "Grace <b>Hopper</b>" };
  await people.arrive(newArrival(grace, { handle: "grace", state: "pending", at: AT }));
  const bob = newPerson("bob", "publisher");
  await people.add(bob, AT, BY);
  await people.add(newPerson("root", "administrator"), AT, BY);
  const team = { id: "00000000-0000-4000-8000-000000000001", handle: "web", createdAt: AT };
  await teams.add({ ...team, displayName: "Web people", groupRef: "web-people" }, BY);
  await teams.setMember(team.id, { userId: bob.id, level: "manager" }, BY);
  const account = { id: "00000000-0000-4000-8000-000000000002", name: "deploy", createdAt: AT };
  await serviceAccounts.add({ ...account, teamId: team.id, state: "active" }, BY);
}

/** The pages of people, and programs that send tokens of administrators and of others. */
export async function openPeople() {
  const example = openExampleSessions({ home: HOME });
  await fillPeople(example.registry);
  return { ...example, ...browserOf(example) };
}

/** A browser that is signed in as Ada, an administrator, and what the registry has. */
export async function openSignedInPeople() {
  const browser = await openSignedIn({ home: HOME });
  await fillPeople(browser.registry);
  return browser;
}
