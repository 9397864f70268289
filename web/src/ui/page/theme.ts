import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core';

/** A doorman's coat: deep green-teal. */
const livery: MantineColorsTuple = [
  '#ebf6f2',
  '#d5ebe3',
  '#abd7c9',
  '#7dc2ae',
  '#53ad95',
  '#329880',
  '#1d8069',
  '#0f6b57',
  '#0b5746',
  '#083f33',
];

/** Its buttons. */
const brass: MantineColorsTuple = [
  '#fcf6e8',
  '#f6e9c9',
  '#ecd496',
  '#e1bd61',
  '#d5a63b',
  '#bf8f25',
  '#9c7218',
  '#7c5911',
  '#5f440d',
  '#45310a',
];

const gray: MantineColorsTuple = [
  '#f7f9f7',
  '#eff2ef',
  '#e4e9e5',
  '#d6ddd8',
  '#bcc6bf',
  '#7f8b84',
  '#616d66',
  '#48534d',
  '#313a35',
  '#1e2622',
];

const dark: MantineColorsTuple = [
  '#dce3df',
  '#bac4be',
  '#97a39d',
  '#75827b',
  '#47534d',
  '#333d38',
  '#252e2a',
  '#1a211e',
  '#141a17',
  '#0e1311',
];

const fontFamily = [
  'system-ui',
  '-apple-system',
  '"Segoe UI"',
  'Roboto',
  '"Helvetica Neue"',
  '"Noto Sans"',
  '"PingFang SC"',
  '"Hiragino Sans GB"',
  '"Microsoft YaHei"',
  '"Noto Sans CJK SC"',
  '"Source Han Sans SC"',
  'sans-serif',
  '"Apple Color Emoji"',
  '"Segoe UI Emoji"',
  '"Noto Color Emoji"',
].join(', ');

const overrides: MantineThemeOverride = {
  primaryColor: 'livery',
  primaryShade: { light: 7, dark: 6 },
  colors: { livery, brass, gray, dark },
  black: '#18201c',
  fontFamily,
  // All sizes and weights of the page's text.
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '1rem', lg: '1.25rem', xl: '1.75rem' },
  fontWeights: { regular: '400', medium: '600', bold: '600' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
};

export const theme = createTheme(overrides);

/** Where Mantine's own choice would not reach a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-success': 'var(--mantine-color-livery-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-default-border': 'var(--mantine-color-gray-4)',
  },
  dark: {
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-success': 'var(--mantine-color-livery-3)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-livery-light': 'var(--mantine-color-livery-9)',
    '--mantine-color-livery-light-hover': 'var(--mantine-color-livery-8)',
  },
});

/** The colours whose variables the page carries; a component given another one would be without colour. */
export const COLORS: readonly string[] = ['livery', 'brass', 'gray', 'dark', 'red'];
