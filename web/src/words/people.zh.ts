export const people: typeof import('./people.en.ts').people = {};
