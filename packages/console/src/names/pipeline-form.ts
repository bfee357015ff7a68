import { POLICY_LIFE_S, PROVIDER_CLAIMS, readPolicy } from "@sealhouse/identity";
import type { NewPolicy, PolicyProvider, PolicyTexts, PolicyTrust } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { Choice, FieldProblem, FormField, FormValues } from "../kit/forms/form-fields.ts";
import { wordsIn } from "../kit/forms/posted-form.ts";

/** Choices of the form of a new pipeline. */
export type PipelineChoices = {
  readonly provider: PolicyProvider;
  readonly trust: PolicyTrust;
  /** Users and teams that the jobs may publish for; an empty handle is for the operators. */
  readonly owners: readonly Choice[];
  /** Whether the name does not exist yet, so that the pipeline may create it. */
  readonly isNew: boolean;
};

const EVENTS = ["pull_request_target", "workflow_run"] as const;
const eventField = (event: string) => `event-${event}`;

const text = (name: string, label: string, help?: string): FormField => ({
  name,
  label,
  kind: "text",
  lengthMax: 255,
  ...(help !== undefined && { help }),
});

const REPOSITORY: Readonly<Partial<Record<PolicyProvider, readonly FormField[]>>> = {
  github: [
    { ...text("repo", "Repository", "Such as acme/widgets."), isRequired: true },
    { ...text("file", "Workflow file", "Such as publish.yml."), isRequired: true },
    text("environment", "Environment", "Empty: any."),
    text("reusable", "Reusable workflow", "acme/ci/.github/workflows/publish.yml; empty: none."),
    text("repoId", "Number of the repository", "Empty: that of the first ID token."),
    text("ownerId", "Number of its owner", "Empty: that of the first ID token."),
    ...EVENTS.map((event): FormField => ({
      name: eventField(event),
      label: `Also runs for ${event}`,
      kind: "checkbox",
      help: "Such runs may execute the code of strangers.",
    })),
  ],
  gitlab: [
    { ...text("repo", "Project", "Such as acme/widgets."), isRequired: true },
    { ...text("file", "Pipeline file", "Such as .gitlab-ci.yml."), isRequired: true },
    text("environment", "Environment", "Empty: any."),
    text("repoId", "Number of the project", "Empty: that of the first ID token."),
    text("ownerId", "Number of its namespace", "Empty: that of the first ID token."),
  ],
};

/** The fields of a new pipeline: those of the command `pipeline add`. */
export function pipelineFields(choices: PipelineChoices): readonly FormField[] {
  const { provider, owners, isNew } = choices;
  const { fixedAudience } = PROVIDER_CLAIMS[provider];
  return [
    ...(REPOSITORY[provider] ?? []),
    issuerField(choices),
    {
      name: "claim",
      label: "Claims",
      kind: "lines",
      help: `One name=value in each line${claimNames(provider)}.`,
    },
    { name: "scopes", label: "The jobs may", kind: { choices: SCOPE_CHOICES } },
    {
      ...text("life", "Minutes that a token lives"),
      help: `${POLICY_LIFE_S.least / 60} to ${POLICY_LIFE_S.most / 60}.`,
      isRequired: true,
    },
    { name: "for", label: "Publishes for", kind: { choices: owners } },
    ...(isNew ? [MAY_CREATE] : []),
    ...(fixedAudience === undefined ? [] : [FIXED_AUDIENCE]),
  ];
}

const MAY_CREATE: FormField = {
  name: "mayCreate",
  label: "Publish names that do not exist yet",
  kind: "checkbox",
};
const FIXED_AUDIENCE: FormField = {
  name: "fixedAudience",
  label: "Accept the audience that the service fixes",
  kind: "checkbox",
};

const SCOPE_CHOICES: readonly Choice[] = [
  { value: "", text: "publish (images: write)" },
  { value: "stage", text: "stage: submit versions for approval" },
  { value: "write", text: "write: also change versions" },
  { value: "read", text: "read" },
];

function claimNames(provider: PolicyProvider): string {
  const names = Object.keys(PROVIDER_CLAIMS[provider].fields);
  return names.length === 0 ? ", such as sub=build" : `: ${names.join(", ")}`;
}

function issuerField({ provider, trust }: PipelineChoices): FormField {
  const known: Readonly<Record<string, string | undefined>> = trust.issuers;
  const usual = known[provider];
  const others = trust.policyIssuers.filter((issuer) => issuer !== usual);
  const choices = [
    { value: "", text: usual === undefined ? "Choose an issuer" : usual },
    ...others.map((issuer) => ({ value: issuer, text: issuer })),
  ];
  return {
    name: "issuer",
    label: "Issuer",
    kind: { choices },
    help: "An operator adds others: Host__TrustedPublishing__Issuers.",
  };
}

/** Returns the values of a form that was not sent yet. */
export function newPipelineValues({ owners, isNew }: PipelineChoices): FormValues {
  const life = String(POLICY_LIFE_S.otherwise / 60);
  const values = new URLSearchParams({ life, for: owners[0]?.value ?? "" });
  if (isNew) values.set("mayCreate", "true");
  return values;
}

/** Returns the pipeline of a form in words, before the name that it is for. */
export function pipelineWords(values: FormValues): string {
  const [repo, file, claims] = ["repo", "file", "claim"].map((name) => wordsIn(values, name));
  const source = repo === "" ? claims : `${repo} ${file}`.trim();
  const scope = wordsIn(values, "scopes") || "publish";
  return `let the pipeline ${source} ${scope}`;
}

/** Result of the form of a new pipeline. */
export type PipelineFormOutcome =
  | { readonly status: "read"; readonly policy: NewPolicy; readonly owner: string }
  | { readonly status: "refused"; readonly problems: readonly FieldProblem[] };

/** Reads the form of a new pipeline for one name, as the command line does. */
export function readPipelineForm(
  values: FormValues,
  choices: PipelineChoices,
  { protocol, name }: { readonly protocol: Protocol; readonly name: string },
): PipelineFormOutcome {
  const { provider, trust, owners } = choices;
  const owner = owners.find(({ value }) => value === values.get("for"))?.value;
  if (owner === undefined) return refused([{ name: "for", words: "is not one of the choices" }]);
  const texts = { ...textsIn(values), provider, names: [name], protocols: protocol };
  const outcome = readPolicy(texts, trust);
  if (outcome.status === "read") return { ...outcome, owner };
  return refused(
    outcome.problems.map(({ field, words }) => ({ name: field ?? "The pipeline", words })),
  );
}

function textsIn(values: FormValues): Omit<PolicyTexts, "provider" | "names" | "protocols"> {
  const textOf = (name: string) => {
    const value = values.get(name)?.trim() ?? "";
    return value === "" ? undefined : value;
  };
  const lines = (values.get("claim") ?? "").split(/\r?\n/).map((line) => line.trim());
  return {
    issuer: textOf("issuer"),
    repo: textOf("repo"),
    repoId: textOf("repoId"),
    ownerId: textOf("ownerId"),
    file: textOf("file"),
    environment: textOf("environment"),
    reusable: textOf("reusable"),
    claim: lines.filter((line) => line !== ""),
    event: EVENTS.filter((event) => textOf(eventField(event)) !== undefined),
    scopes: textOf("scopes"),
    life: values.get("life") ?? "",
    mayCreate: textOf("mayCreate") !== undefined,
    fixedAudience: textOf("fixedAudience") !== undefined,
  };
}

function refused(problems: readonly FieldProblem[]): PipelineFormOutcome {
  return { status: "refused", problems };
}
