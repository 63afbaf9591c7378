import { Button, createTheme } from '@mantine/core';

/** Colours and type are in styles/theme.css. */
export const theme = createTheme({
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({
      // White by default, which cannot be read on the light accent of the dark appearance.
      vars: (_theme, { variant }) => ({
        root: variant === undefined ? { '--button-color': 'var(--mantine-primary-color-contrast)' } : {},
      }),
    }),
  },
});
