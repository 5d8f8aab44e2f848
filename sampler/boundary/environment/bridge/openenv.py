class OpenEnv: pass
