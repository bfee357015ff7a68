import type { TestHost } from "../../src/testing/index.ts";
import type { NpmClient } from "./npm-client.ts";

/** Facts of a packument that tests compare. */
export type Packument = {
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly time: Readonly<Record<string, string>>;
  readonly maintainers: unknown;
  readonly users?: unknown;
};

/** As clients read it that are about to change something: never from a cache. */
export async function packumentOf(
  { host, token }: { readonly host: TestHost; readonly token: string },
  name: string,
): Promise<Packument> {
  const headers = { authorization: `Bearer ${token}` };
  const address = `/npm/${name.replace("/", "%2f")}?write=true`;
  return (await (await host.fetch(address, { headers })).json()) as Packument;
}

/** Publishes these versions, each as the latest. */
export async function publishAll(
  client: NpmClient,
  name: string,
  versions: readonly string[],
): Promise<void> {
  for (const version of versions) {
    const { code, output } = await client.publish(await client.source(name, version));
    if (code !== 0) throw new Error(`${name}@${version} was not published:\n${output}`);
  }
  client.requests();
}
