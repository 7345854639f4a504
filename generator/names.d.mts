/** The forms in which code and text write a name. */
export interface NameForms {
  readonly kebab: string;
  readonly camel: string;
  readonly pascal: string;
  readonly snake: string;
  readonly screaming: string;
  readonly prose: string;
}

export function checkForm(name: string): void;
export function singularOf(plural: string, given?: string, isTaken?: (plural: string) => boolean): string;
export function checkPastTense(name: string): void;
export function checkImperative(name: string): void;
export function formsOf(kebab: string): NameForms;
export function isReserved(word: string): boolean;
export function kebabOf(camel: string): string;
export function pastTense(name: string): string;
