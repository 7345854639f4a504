export function checkName(name: string): void;
export function singularOf(plural: string): string;
export function pastTense(name: string): string;
export function formsOf(
  kebab: string,
): Readonly<Record<'kebab' | 'camel' | 'pascal' | 'snake' | 'screaming' | 'prose' | 'sentence', string>>;
export function kebabOf(camel: string): string;
