import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { nugetArtifact, npmArtifact, ociArtifact } from "../artifacts.ts";
import { openFolder } from "../clients/client.ts";
import { makeServerCertificate } from "../clients/certificate-authority.ts";
import { freePort } from "../free-port.ts";

/** A host that requires a token, with packages, an image and a token with all scopes. */
export type WatchedRegistry = AsyncDisposable & {
  readonly host: TestHost;
  readonly token: string;
  /** The main address first; then npm's and a segment's own, where there are any. */
  readonly addresses: readonly [string, ...string[]];
  /** The files of the certificate, by https. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
  /** All data that a successful attack would change, as text. */
  state(): Promise<string>;
};

export async function openWatchedRegistry(scheme: "http" | "https"): Promise<WatchedRegistry> {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await openFolder());
  const port = await freePort();
  const files = scheme === "https" ? await makeServerCertificate(path, NAMES) : undefined;
  const env = {
    Feed__Authentication__AllowAnonymousPull: "false",
    ASPNETCORE_URLS: `${scheme}://127.0.0.1:${port}`,
    Feed__Oci__Acme__Enabled: "true",
    ...(files && {
      Kestrel__Certificates__Default__Path: files.certificate,
      Kestrel__Certificates__Default__KeyPath: files.key,
      Feed__PublicBaseUrl: `https://packages.test:${port}`,
      Feed__Npm__HostNames__0: "npm.test",
      Feed__Oci__Acme__HostNames__0: "oci.test",
    }),
  };
  const authority = files && { authority: files.authority };
  const host = opened.use(await spawnHost({ scheme, env, ...authority }));
  const token = await host.makeToken({ scopes: "read,write,delete,admin" });
  await fill(host, token);
  const owned = opened.move();
  const urlOf = (name: string) => `${scheme}://${name}:${port}`;
  return {
    host,
    token,
    addresses: files
      ? [urlOf("packages.test"), urlOf("npm.test"), urlOf("oci.test")]
      : [urlOf("localhost")],
    ...(files && { certificate: files }),
    state: () => stateOf(host, token),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const NAMES =
  "DNS:localhost,IP:127.0.0.1,DNS:packages.test,DNS:npm.test,DNS:oci.test,DNS:evil.test";

async function fill(host: TestHost, token: string): Promise<void> {
  const content = Buffer.from("content");
  const artifacts = [
    nugetArtifact("Demo", content),
    npmArtifact("demo", content),
    ociArtifact("acme/app", content),
  ];
  for (const artifact of artifacts) {
    if (!(await artifact.push(host, token))) throw new Error(`${artifact.name} was not pushed`);
  }
  const headers = { "x-nuget-apikey": token };
  // So that relisting it would show.
  await host.fetch("/api/v2/package/Demo/1.0.0", { method: "DELETE", headers });
}

const STATE = [
  "/v3/registration/demo/index.json",
  "/npm/demo",
  "/npm/-/package/demo/trust",
  "/npm/-/stage",
  "/npm/-/npm/v1/tokens",
  "/v2/acme/app/tags/list",
  "/v2/_catalog",
  "/administration/package-sources",
  "/administration/rules",
];

async function stateOf(host: TestHost, token: string): Promise<string> {
  const authorization = `Bearer ${token}`;
  const answers = STATE.map(async (path) => {
    const answer = await host.fetch(path, { headers: { authorization } });
    return `${path} ${answer.status} ${await answer.text()}`;
  });
  return (await Promise.all(answers))
    .join("\n")
    .replaceAll(/name="proof" value="[^"]*"/g, "")
    .replaceAll(/"(?:updated|accessed)":(?:null|"[^"]*")/g, "");
}
