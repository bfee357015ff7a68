import {
  createMemoryPeople,
  createTestToken,
  newPerson,
  TEST_PEPPER,
} from "@sealhouse/identity/testing";
import { openScreens } from "./example-screens.ts";

const AT = new Date("2026-02-01T10:00:00Z");
const BY = { actor: "test" };

/** The screens of API keys, with people and tokens in memory. */
export async function openKeys() {
  const people = createMemoryPeople();
  await people.people.add(newPerson("bob", "publisher"), AT, BY);
  const events = {
    outbox: { pending: async () => [] },
    audit: { read: async () => ({ records: [] }) },
  };
  let rows: object = people;
  const screens = await openScreens({
    rows: async () => rows,
    pepper: async () => TEST_PEPPER,
    events: async () => events,
  });
  const { tokens } = screens;
  rows = { ...people, tokens, leases: screens.leases };
  /** Adds a token, and returns its id and its value. */
  const add = async (name: string, more: object = {}) => {
    const { record, token } = createTestToken({ name, scopes: ["read"] }, AT);
    await tokens.insert({ ...record, ...more }, BY);
    return { id: record.id, token };
  };
  return { ...screens, add };
}
