// RepriseLMDB
