"""The pages: the only place, with app.py, that imports streamlit."""
