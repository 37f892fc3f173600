"""runningtab: the tab an environment keeps beside an agent, for recorded runs and live ones."""
