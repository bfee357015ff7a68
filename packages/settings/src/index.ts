export { howToInstall } from "./how-to-install.ts";
export type { ExtensionChoice, ExtensionOptions } from "./extension-option.ts";
export { optionOf } from "./extension-option.ts";
export { isPeerMissing, loadPeer, PeerMissingError } from "./load-peer.ts";
export type { Peers } from "./load-peer.ts";
export type { FieldKind, Kind, NamedSection, ScalarKind, Section, ValueOf } from "./kinds.ts";
export { describeKind, isBelowProc, parseScalar } from "./kinds.ts";
export { settingsReference } from "./reference-page.ts";
export type { ReferenceSection } from "./reference-page.ts";
export type { Setting, SettingsTable } from "./setting.ts";
export type {
  Settings,
  SettingsOptions,
  SettingValue,
  SettingValues,
  TypedSettings,
  UnavailableValues,
  ValueNotes,
} from "./settings.ts";
export { createSettings, typedSettings } from "./settings.ts";
export type { ShownSetting } from "./show.ts";
export { showSettings } from "./show.ts";
export type { Entries, Entry } from "./entries.ts";
export type { SettingArgument, SourcesOptions } from "./sources.ts";
export { foldKey } from "./fold-key.ts";
export { readSources } from "./sources.ts";
export { formatTimeSpan, parseTimeSpan } from "./time-span.ts";
export type { CheckedValue, CheckedValues, ExtensionTable } from "./typed-values.ts";
export { typedValues } from "./typed-values.ts";
export { editDistance, unknownKeys } from "./unknown-keys.ts";
