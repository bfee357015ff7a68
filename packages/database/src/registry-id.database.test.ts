import { afterAll, describe, expect, test } from "vitest";
import { openDatabase } from "./open-database.ts";
import { checkDatabase } from "./schema/migrate-database.ts";
import { leaveTestServers, testableDatabases } from "./testing/index.ts";
import { openMigratedPlace } from "./testing/open-test-database.ts";

describe.each(testableDatabases())("%s", (type) => {
  test("instances that start together agree on the id of their registry", async () => {
    await using opened = new AsyncDisposableStack();
    const { config } = opened.use(await openMigratedPlace(type));
    const instances = await Promise.all([1, 2, 3].map(() => openDatabase(config)));
    for (const instance of instances) opened.use(instance);
    expect(await checkDatabase(config, { migrate: false })).toEqual({ registryId: undefined });

    const calls = instances.flatMap((instance) => [instance.registryId(), instance.registryId()]);
    const [id, ...others] = await Promise.all(calls);
    expect(id).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set(others)).toEqual(new Set([id]));
    expect(await checkDatabase(config, { migrate: false })).toEqual({ registryId: id });

    const other = opened.use(await openMigratedPlace("Sqlite"));
    expect(await opened.use(await openDatabase(other.config)).registryId()).not.toBe(id);
  });

  test("instances share the id of an organization, until another URL is configured", async () => {
    await using opened = new AsyncDisposableStack();
    const { config } = opened.use(await openMigratedPlace(type));
    const first = opened.use(await openDatabase(config));
    const second = opened.use(await openDatabase(config));
    await first.registryId();
    const [acme, renamed] = ["https://github.com/acme", "https://github.com/others"] as const;
    expect(await first.knownOrganization.find(acme)).toBeUndefined();
    await first.knownOrganization.keep(acme, 4_000_000_001);
    expect(await second.knownOrganization.find(acme)).toBe(4_000_000_001);
    await second.knownOrganization.keep(renamed, 7);
    expect(await first.knownOrganization.find(acme)).toBeUndefined();
  });
});

afterAll(leaveTestServers);
