import type { AdministratorSources } from "../administration/model.ts";

/** A record of the audit log. */
export type AuditRecord = {
  readonly id: string;
  readonly at: Date;
  readonly type: string;
  readonly subject: string;
  readonly caller: {
    readonly actor: string;
    readonly tokenId?: string | undefined;
    readonly address?: string | undefined;
    readonly requestId?: string | undefined;
  };
  readonly detail?: Readonly<Record<string, unknown>>;
};

/** Filters of the audit log; all must match. */
export type AuditFilters = {
  readonly since?: Date;
  readonly until?: Date;
  readonly types?: readonly string[];
  readonly actor?: string;
  readonly tokenId?: string;
  readonly address?: string;
  /** A subject, or its beginning with `*`. */
  readonly subject?: string;
};

/** Filters and place of a page of the audit log. */
export type AuditAsk = AuditFilters & {
  readonly order: "newest-first" | "oldest-first";
  readonly after?: string;
  readonly limit: number;
};

/** The audit log, with events that were written just now. */
export type AuditReader = {
  read(
    ask: AuditAsk,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly next?: string }>;
  find(id: string): Promise<AuditRecord | undefined>;
  /** All types of events. */
  readonly types: readonly string[];
};

/** A cause that an administrator should act on. */
export type Attention = {
  readonly tone: "bad" | "warn";
  readonly title: string;
  readonly text?: string;
  /** Path of the page that helps, below the path of the registry, and the text of its link. */
  readonly link?: { readonly path: string; readonly text: string };
};

/** Figures of the registry. */
export type RegistryFigures = {
  readonly isHealthy: boolean;
  readonly storedBytes: number;
  /** Requests to this instance since its start. */
  readonly pushes: number;
  readonly pulls: number;
};

/** Lookups of the overview and the audit log. */
export type OverviewSources = AdministratorSources & {
  readonly audit: AuditReader;
  /** The worst first. */
  attention(): Promise<readonly Attention[]>;
  figures(): Promise<RegistryFigures>;
};
