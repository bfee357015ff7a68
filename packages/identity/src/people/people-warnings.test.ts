import { expect, test } from "vitest";
import { NO_ADMINISTRATOR, peopleWarnings } from "./people-warnings.ts";
import type { Person } from "./person.ts";

const epoch = new Date(0);

function person(handle: string, more: Partial<Person> = {}): Person {
  const rights = { role: "publisher", roleSource: "group", state: "active" } as const;
  return {
    id: handle,
    handle,
    displayName: handle,
    ...rights,
    epoch: 0,
    createdAt: epoch,
    ...more,
  };
}

const ada = person("ada", { role: "administrator" });
const bob = person("bob", { validatedAt: epoch });
const carl = person("carl", { validatedAt: epoch, roleSource: "hand" });
const missing = expect.stringContaining(NO_ADMINISTRATOR) as string;
const unchecked = expect.stringMatching(/1 users .*\(bob\)/) as string;

test.each<[string, readonly Person[], boolean, readonly string[]]>([
  ["no users", [], true, []],
  ["an administrator and a provider", [ada, bob], true, []],
  ["a provider and no administrator", [bob], true, [missing]],
  ["a suspended administrator", [{ ...ada, state: "suspended" }], false, [missing]],
  ["users by hand and no administrator", [person("dora")], false, []],
  ["users of a provider that is gone", [ada, bob, carl], false, [unchecked]],
])("warns about %s", (_, people, hasProvider, warnings) => {
  expect(peopleWarnings(people, { hasProvider })).toEqual(warnings);
});
