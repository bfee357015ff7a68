// What a packed package must look like before it is published.

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly private: boolean;
};

type Packed = {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  /** The text of its package.json. */
  readonly manifest: string;
};

export function parseManifest(json: string): Manifest {
  const parsed = JSON.parse(json) as { name: string; version: string; private?: boolean };
  return { name: parsed.name, version: parsed.version, private: parsed.private === true };
}

/** Files that the `imports` of a package.json name for users of the package. */
function importTargets(manifest: string): readonly string[] {
  const { imports = {} } = JSON.parse(manifest) as {
    readonly imports?: Readonly<Record<string, { readonly default?: string }>>;
  };
  return Object.values(imports).flatMap(({ default: target }) =>
    target?.startsWith("./") ? [target.slice("./".length)] : [],
  );
}

/** Lists what keeps a tarball from being published. */
export function tarballProblems({ name, version, files, manifest }: Packed): readonly string[] {
  const packed = parseManifest(manifest);
  const problems: string[] = [];
  if (packed.version !== version) problems.push(`${name}: packed as ${packed.version}`);
  if (/"(?:workspace|catalog):/.test(manifest)) {
    problems.push(`${name}: its package.json names versions of the workspace`);
  }
  for (const file of ["package/README.md", "package/LICENSE", "package/dist/index.js"]) {
    if (!files.includes(file)) problems.push(`${name}: lacks ${file.slice("package/".length)}`);
  }
  for (const file of importTargets(manifest)) {
    if (!files.includes(`package/${file}`)) problems.push(`${name}: lacks ${file}`);
  }
  const tests = files.filter((file) => /\.test\.[^/]+$/.test(file));
  if (tests.length > 0) problems.push(`${name}: contains tests: ${tests.slice(0, 3).join(", ")}`);
  return problems;
}
