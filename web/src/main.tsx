import './theme.css';
import './mantine.css';
import './app.css';
import { createRoot } from 'react-dom/client';
import { Splash } from './shell/splash.tsx';

const root = document.getElementById('root');
if (root) createRoot(root).render(<Splash />);
