import './fields.css';
import {
  type CloseButtonProps,
  CloseButton as MantineCloseButton,
  MantineContext,
  Switch as MantineSwitch,
  Textarea as MantineTextarea,
  TextInput as MantineTextInput,
  MantineThemeProvider,
  type SwitchProps,
  type TextareaProps,
  type TextInputProps,
} from '@mantine/core';

export type { TextInputProps };

import type { ComponentPropsWithoutRef, ReactNode, RefAttributes } from 'react';
import { theme } from '../page/theme.ts';

/** What MantineProvider would provide, without what writes styles; theme.css has the variables. */
const CONTEXT = {
  colorScheme: 'auto' as const,
  setColorScheme: () => {},
  clearColorScheme: () => {},
  getRootElement: () => document.documentElement,
  classNamesPrefix: 'mantine',
  cssVariablesSelector: ':root',
  withStaticClasses: true,
};

/** Mantine's fields, each with what it needs around it: a view without fields loads nothing of them. */
function Provider({ children }: { children: ReactNode }) {
  return (
    <MantineContext value={CONTEXT}>
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </MantineContext>
  );
}

export function TextInput(props: TextInputProps & RefAttributes<HTMLInputElement>) {
  return (
    <Provider>
      <MantineTextInput {...props} />
    </Provider>
  );
}

export function Textarea(props: TextareaProps & RefAttributes<HTMLTextAreaElement>) {
  return (
    <Provider>
      <MantineTextarea {...props} />
    </Provider>
  );
}

export function Switch(props: SwitchProps) {
  return (
    <Provider>
      <MantineSwitch {...props} />
    </Provider>
  );
}

/** Empties a field. */
export function CloseButton(props: CloseButtonProps & ComponentPropsWithoutRef<'button'>) {
  return (
    <Provider>
      <MantineCloseButton {...props} />
    </Provider>
  );
}
