import { createImagesApp } from "@sealhouse/console";
import type { ImagesPorts } from "@sealhouse/console";
import { NPM_ROUTES } from "@sealhouse/npm-protocol";
import { createNuGetApp } from "@sealhouse/nuget-protocol";
import { createMemoryNuGetPorts } from "@sealhouse/nuget-protocol/testing";
import { OCI_ENDPOINTS } from "@sealhouse/oci-distribution";

export type ChangingEndpoint = {
  readonly surface: "nuget" | "npm" | "oci" | "console";
  readonly method: string;
  /** Below the address of the surface, with example names. */
  readonly path: string;
};

const READS = new Set(["GET", "HEAD", "OPTIONS", "ALL"]);

/** Every endpoint that may change something, from the tables of the routers. */
export function changingEndpoints(): readonly ChangingEndpoint[] {
  const all = [
    ...createNuGetApp(createMemoryNuGetPorts().ports).routes.map(of("nuget")),
    ...NPM_ROUTES.flatMap(({ path, methods }) =>
      methods.map((method) => of("npm")({ path, method })),
    ),
    ...Object.values(OCI_ENDPOINTS).flatMap(({ path, methods }) =>
      methods.map((method) => of("oci")({ path, method })),
    ),
    ...createImagesApp(unasked()).routes.map(of("console")),
  ];
  const changing = all.filter(({ method }) => !READS.has(method));
  const byText = new Map(changing.map((one) => [`${one.surface} ${one.method} ${one.path}`, one]));
  return [...byText.values()];
}

function of(surface: ChangingEndpoint["surface"]) {
  return ({ path, method }: { readonly path: string; readonly method: string }) => ({
    surface,
    method,
    path: filled(path, surface),
  });
}

const UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const DIGEST = `sha256:${"0".repeat(64)}`;
const VALUES: Readonly<Record<string, string>> = {
  "{package}": "demo",
  "{tag}": "next",
  "{revision}": "1-0",
  "{name}": "alice",
  "{reference}": "v1",
  "{digest}": DIGEST,
  "{*}": "demo",
  ":id": "Demo",
  ":version": "1.0.0",
};

function filled(path: string, surface: ChangingEndpoint["surface"]): string {
  if (surface === "console") return path.replace("*", "acme/app:v1/delete");
  const names = surface === "oci" ? { ...VALUES, "{name}": "acme/app" } : VALUES;
  return path.replaceAll(/\{[^}]+\}|:[a-z]+(?=\/|$)/g, (name) => names[name] ?? UUID);
}

/** Ports for an app whose routes alone are read. */
function unasked(): ImagesPorts {
  const refuse = () => {
    throw new Error("only the routes are used");
  };
  return {
    site: refuse,
    repositories: refuse,
    repository: refuse,
    image: refuse,
    previewDeletion: refuse,
    remove: refuse,
  };
}
