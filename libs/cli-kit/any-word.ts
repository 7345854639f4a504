import { withRecipe } from './recipe.js';

/** Takes any text where choices are shown and completed, and a rule of a command decides what is right. */
export const anyWord = withRecipe(['any-word'], (text: string): string => text);
